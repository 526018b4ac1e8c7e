#ifndef TOMOGRAPH_SIM_GPU_LOAD_PATHS_HPP
#define TOMOGRAPH_SIM_GPU_LOAD_PATHS_HPP

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/gpu/rules.hpp"
#include "tomograph/experiment/chase.hpp"

namespace tomograph::sim {

class Section;

/// What a description calls a load path, e.g. "global.ca".
[[nodiscard]] std::string name_of(chase::Path path);

/// The load paths that a GPU has, apart from the caches that serve them.
struct LoadPaths {
  std::vector<chase::Path> lacks;                  ///< paths of which the GPU knows nothing
  std::map<chase::Path, std::int64_t> path_delay;  ///< cycles that loads on a path take more, whatever serves them

  [[nodiscard]] bool has(chase::Path path) const;
  [[nodiscard]] std::int64_t delay(chase::Path path) const;
};

[[nodiscard]] Broken violation(const LoadPaths& paths);

/// lacks and path_delay of the description.
[[nodiscard]] LoadPaths read_load_paths(const Section& description);
/// The paths that are named under `key`.
[[nodiscard]] std::vector<chase::Path> read_paths(const Section& section, const char* key);

}  // namespace tomograph::sim

#endif
