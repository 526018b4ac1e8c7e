#ifndef TOMOGRAPH_SIM_GPU_SM_GROUPS_HPP
#define TOMOGRAPH_SIM_GPU_SM_GROUPS_HPP

#include <cstdint>
#include <vector>

#include "sim/gpu/rules.hpp"

namespace tomograph::sim {

class Section;

/// Groups of SMs that share an instance of a cache, a TLB or a port. Each SM is in exactly one group. Empty: each SM
/// has its own instance.
using SmGroups = std::vector<std::vector<std::int64_t>>;

/// The group of each of `sm_count` SMs.
[[nodiscard]] std::vector<std::uint32_t> group_of_each_sm(const SmGroups& groups, std::int64_t sm_count);

[[nodiscard]] Broken sm_groups_violation(const SmGroups& groups, std::int64_t sm_count, const std::string& key);

/// Reads shared_by: a list of groups, or a number of consecutive SMs that form a group.
[[nodiscard]] SmGroups read_shared_by(const Section& section, std::int64_t sm_count);

}  // namespace tomograph::sim

#endif
