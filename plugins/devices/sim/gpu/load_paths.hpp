#ifndef TOMOGRAPH_SIM_GPU_LOAD_PATHS_HPP
#define TOMOGRAPH_SIM_GPU_LOAD_PATHS_HPP

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/gpu/rules.hpp"
#include "tomograph/chase.hpp"

namespace tomograph::sim {

class Section;

/// The name of a load path in descriptions, e.g. "global.ca".
[[nodiscard]] std::string name_of(chase::Path path);

/// The load paths of a GPU, without the caches that serve them.
struct LoadPaths {
  std::vector<chase::Path> lacks;                  ///< paths that the GPU does not have
  std::map<chase::Path, std::int64_t> path_delay;  ///< extra latency of loads on a path, whatever serves them

  [[nodiscard]] bool has(chase::Path path) const;
  [[nodiscard]] std::int64_t delay(chase::Path path) const;
};

[[nodiscard]] Broken violation(const LoadPaths& paths);

/// Reads lacks and path_delay.
[[nodiscard]] LoadPaths read_load_paths(const Section& description);
/// The paths in the array under `key`.
[[nodiscard]] std::vector<chase::Path> read_paths(const Section& section, const char* key);

}  // namespace tomograph::sim

#endif
