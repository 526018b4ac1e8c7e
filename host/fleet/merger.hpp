#ifndef TOMOGRAPH_HOST_FLEET_MERGER_HPP
#define TOMOGRAPH_HOST_FLEET_MERGER_HPP

#include <filesystem>
#include <string>
#include <vector>

#include "fleet/judgement.hpp"

namespace tomograph::host {

/// A file that does not count, and why.
struct RefusedFile {
  std::string name;  ///< without its folder
  std::string reason;
};

struct MergedFleet {
  Fleet fleet;
  std::vector<RefusedFile> refused;  ///< sorted by name
};

/// Reads topologies on all processors and judges them. A file that is no topology is refused alone. Of two topologies
/// of one GPU the one that was started later counts, or else the one with the greater name. Equal files in any order
/// and any folder give the same.
[[nodiscard]] MergedFleet merge_fleet(const std::vector<std::filesystem::path>& files, double false_alarm_rate);

}  // namespace tomograph::host

#endif
