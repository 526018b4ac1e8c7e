#ifndef TOMOGRAPH_WORKLOADS_EXPERIMENTS_HPP
#define TOMOGRAPH_WORKLOADS_EXPERIMENTS_HPP

#include <cstdint>
#include <vector>

#include "tomograph/experiment.hpp"

/// The experiments of this plugin as values. The arrays of requests and answers have the names of the fields.
namespace tomograph::workloads {

inline constexpr const char* run_id = "workloads.run/2";

/// Runs a workload once on fresh inputs and checks its results, then several times more.
struct RunRequest {
  std::int64_t workload = 0;  ///< position in all_workloads()
  std::int64_t repetitions = 1;
};
struct RunAnswer {
  std::int64_t wrong = 0;               ///< elements of the results that differ from the reference
  std::int64_t ctas_per_sm = 0;         ///< that an SM holds at the same time
  std::vector<double> elapsed_ns = {};  ///< of each repetition, from the start of the first CTA to the end of the last
  std::vector<double> clock_hz = {};    ///< of the SMs meanwhile
};

inline constexpr const char* launch_id = "workloads.launch/1";

/// CTAs that do nothing but wait, several times more of them than the GPU holds at once.
struct LaunchRequest {
  std::int64_t warps = 1;        ///< of a CTA
  std::int64_t wait_cycles = 0;  ///< of each CTA
  std::int64_t rounds = 3;       ///< CTAs by those that the GPU holds at once
  std::int64_t repetitions = 1;
};
struct LaunchAnswer {
  std::int64_t ctas_per_sm = 0;       ///< that an SM holds at the same time
  std::vector<double> rate = {};      ///< of each repetition: starts per cycle, all SMs together, in the steady state
  std::vector<double> turnover = {};  ///< mean cycles from the end of a CTA to the next start in its place
};

[[nodiscard]] Experiment encode(const LaunchRequest& request);
/// @throws std::invalid_argument naming the parameter that is missing or out of range.
[[nodiscard]] LaunchRequest decode_launch(const Experiment& experiment);
[[nodiscard]] Arrays encode(const LaunchAnswer& answer);
/// @throws std::invalid_argument if arrays are missing, of another type or length.
[[nodiscard]] LaunchAnswer decode_result(const LaunchRequest& request, const Answer& answer);

[[nodiscard]] Experiment encode(const RunRequest& request);
/// @throws std::invalid_argument naming the parameter that is missing or out of range.
[[nodiscard]] RunRequest decode_run(const Experiment& experiment);
[[nodiscard]] Arrays encode(const RunAnswer& answer);
/// @throws std::invalid_argument if arrays are missing, of another type or length.
[[nodiscard]] RunAnswer decode_result(const RunRequest& request, const Answer& answer);

}  // namespace tomograph::workloads

#endif
