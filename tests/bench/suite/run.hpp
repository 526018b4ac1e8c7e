#ifndef TOMOGRAPH_BENCH_SUITE_RUN_HPP
#define TOMOGRAPH_BENCH_SUITE_RUN_HPP

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace tomograph::bench {

using Json = nlohmann::json;

/// Result of `tomograph run` with all probes on one simulated GPU.
struct Run {
  int exit_code = -1;                          ///< -1: it was killed
  double seconds = 0;                          ///< wall-clock time
  double processor = 0;                        ///< seconds of processor time
  std::map<std::string, Json> facts;           ///< records by key
  std::map<std::string, std::string> unknown;  ///< facts that are missing although they exist, and why
};

/// Runs the program in a separate process. @throws std::runtime_error if it cannot be started or leaves no topology.
[[nodiscard]] Run run_all_probes(const std::string& gpu);

}  // namespace tomograph::bench

#endif
