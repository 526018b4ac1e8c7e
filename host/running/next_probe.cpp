#include "running/next_probe.hpp"

#include <algorithm>

namespace tomograph::host {
namespace {

bool provides(const ProbeDescription& probe, const std::string& key) {
  return std::ranges::any_of(probe.provides, [&](const FactDeclaration& fact) { return fact.key == key; });
}

bool needs_facts_of(const ProbeDescription& probe, std::span<const PlannedProbe> earlier) {
  return std::ranges::any_of(probe.needs, [&](const NeedDeclaration& need) {
    return std::ranges::any_of(earlier, [&](const PlannedProbe& other) { return provides(*other.probe, need.key); });
  });
}

}  // namespace

std::ptrdiff_t next_without_link_to_host(std::span<const PlannedProbe> left) {
  for (std::size_t position = 0; position < left.size(); ++position) {
    const ProbeDescription& probe = *left[position].probe;
    if (probe.uses_links == LinkUse::none && !needs_facts_of(probe, left.first(position))) {
      return static_cast<std::ptrdiff_t>(position);
    }
  }
  return 0;
}

}  // namespace tomograph::host
