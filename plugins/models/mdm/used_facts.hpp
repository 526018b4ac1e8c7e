#ifndef TOMOGRAPH_MDM_USED_FACTS_HPP
#define TOMOGRAPH_MDM_USED_FACTS_HPP

#include <string>
#include <vector>

#include "facts.hpp"
#include "tomograph/kernel.hpp"
#include "tomograph/kernel/profile.hpp"

namespace tomograph::mdm {

/// A fact that a prediction rests on, and others that serve in its place.
using UsedFact = std::vector<std::string>;

/// The optional needs that a kernel uses. Nothing can stand for them where they are not known.
[[nodiscard]] std::vector<UsedFact> used_facts(const kernel::Kernel& kernel);
/// The same of a profile, which knows itself how long instructions take and what the caches hold.
[[nodiscard]] std::vector<UsedFact> used_facts(const kernel::Profile& profile);
[[nodiscard]] std::vector<UsedFact> facts_of_any_kernel();

/// @throws Refused as invalid with all facts that are neither known nor absent, and how to measure them.
void require_known(const Facts& facts, const std::vector<UsedFact>& used);

}  // namespace tomograph::mdm

#endif
