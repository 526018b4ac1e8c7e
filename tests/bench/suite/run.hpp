#ifndef TOMOGRAPH_BENCH_SUITE_RUN_HPP
#define TOMOGRAPH_BENCH_SUITE_RUN_HPP

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace tomograph::bench {

using Json = nlohmann::json;

/// What `tomograph run` with all probes did on one simulated GPU.
struct Run {
  int exit_code = -1;                          ///< -1: it was killed
  double seconds = 0;                          ///< by the clock
  double processor = 0;                        ///< seconds of processor time
  std::map<std::string, Json> facts;           ///< their records
  std::map<std::string, std::string> unknown;  ///< facts that are neither there nor absent by nature, and why
};

/// Runs it as a process of its own. @throws std::runtime_error if it cannot be started or leaves no topology.
[[nodiscard]] Run run_all_probes(const std::string& gpu);

}  // namespace tomograph::bench

#endif
