#ifndef TOMOGRAPH_BENCH_INDEPENDENT_MEASURE_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_MEASURE_HPP

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "expected.hpp"

namespace independent {

/// How GPUs are measured.
struct Measuring {
  std::filesystem::path tomograph;     ///< the program
  std::filesystem::path plugin_dir;    ///< where the device is
  std::filesystem::path folder;        ///< for the topologies; must exist
  std::vector<std::string> only = {};  ///< patterns of what is measured; all if there are none
  std::filesystem::path given = {};    ///< a topology of what is known, if there is one
  std::filesystem::path config = {};   ///< a configuration, if there is one
};

/// Runs `tomograph run` on a GPU in a process of its own and returns the topology.
/// @throws std::runtime_error if the run cannot be started or writes none.
[[nodiscard]] Json measure(const Measuring& measuring, const std::string& family, std::uint64_t seed);

}  // namespace independent

#endif
