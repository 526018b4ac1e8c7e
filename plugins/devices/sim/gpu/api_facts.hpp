#ifndef TOMOGRAPH_SIM_GPU_API_FACTS_HPP
#define TOMOGRAPH_SIM_GPU_API_FACTS_HPP

#include <span>
#include <vector>

#include "sim/gpu/description.hpp"

namespace tomograph::sim {

class Section;

/// A fact that a vendor's interface reports.
struct ApiKey {
  const char* key;
  const char* unit;
  bool is_text;
};

/// The facts that a description may state under [api].
[[nodiscard]] std::span<const ApiKey> api_keys();

/// The facts in the table `section`.
[[nodiscard]] std::vector<ApiFact> read_api(const Section& section);

/// The facts published when the device opens: those that follow from the description, replaced and extended by its
/// [api] table.
[[nodiscard]] std::vector<ApiFact> api_facts(const Gpu& gpu);

}  // namespace tomograph::sim

#endif
