#ifndef TOMOGRAPH_BENCH_MDM_SCORE_HPP
#define TOMOGRAPH_BENCH_MDM_SCORE_HPP

#include <array>
#include <string>
#include <vector>

#include "configurations.hpp"

namespace tomograph::bench {

inline constexpr std::size_t models = 6;
inline constexpr std::array<const char*, models> model_names{"GPUMech",  "GPUMech+", "MDM-Queue",
                                                             "MDM-MSHR", "MDM",      "saturation"};

/// One workload on one configuration.
struct Case {
  std::string workload;
  bool divergent = false;
  double reference_ipc = 0;
  std::array<double, models> ipc{};
  double lines_per_load = 0;  ///< units that a load touches, on average
  double llc_miss_ratio = 0;
  kernel::WarpTraffic traffic;      ///< of the profile
  double reference_llc_misses = 0;  ///< of a warp, in the simulator
  double instructions = 0;
  std::string limit;  ///< by the saturation model
  double reference_seconds = 0;
  double profile_seconds = 0;
  double model_seconds = 0;  ///< of all six models, after the profile

  /// Relative error of a model's IPC, as in the letter.
  [[nodiscard]] double error(std::size_t model) const { return ipc[model] / reference_ipc - 1; }
};

/// All workloads on a configuration.
[[nodiscard]] std::vector<Case> run(const Configuration& configuration, const std::vector<Workload>& workloads);

/// The algorithms of plugins/workloads on a configuration, which must hold 64 warps on an SM.
[[nodiscard]] std::vector<Case> run_algorithms(const Configuration& configuration);

/// Mean of the absolute errors of a model over the workloads of one type.
[[nodiscard]] double mean_error(const std::vector<Case>& cases, std::size_t model, bool divergent);

}  // namespace tomograph::bench

#endif
