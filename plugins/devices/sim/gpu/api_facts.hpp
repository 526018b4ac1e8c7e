#ifndef TOMOGRAPH_SIM_GPU_API_FACTS_HPP
#define TOMOGRAPH_SIM_GPU_API_FACTS_HPP

#include <span>
#include <string>
#include <vector>

#include "sim/gpu/description.hpp"

namespace tomograph::sim {

class Section;

/// A fact that an interface of the vendor states.
struct ApiKey {
  const char* key;
  const char* unit;
  bool is_text;
};

/// The facts that a description may state under [api].
[[nodiscard]] std::span<const ApiKey> api_keys();

/// The facts in the table `section`.
[[nodiscard]] std::vector<ApiFact> read_api(const Section& section);

/// What is published when the device opens: what the description implies, overridden and extended by its
/// [api] table.
[[nodiscard]] std::vector<ApiFact> api_facts(const Gpu& gpu);

}  // namespace tomograph::sim

#endif
