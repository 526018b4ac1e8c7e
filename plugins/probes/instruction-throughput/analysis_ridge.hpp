#ifndef TOMOGRAPH_INSTRUCTION_THROUGHPUT_ANALYSIS_RIDGE_HPP
#define TOMOGRAPH_INSTRUCTION_THROUGHPUT_ANALYSIS_RIDGE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tomograph/analysis/occupancy_roofline.hpp"

namespace tomograph::instruction_throughput {

/// Cycles per instruction of the pipeline model at `warps` warps of `ilp` independent chains each:
/// T(w) = min(w * ilp / completion, 1 / issue), inverted. Both latencies are in cycles.
[[nodiscard]] double roofline_cpi(double completion, double issue, std::int64_t warps, std::int64_t ilp);

/// Most rounds of repetitions after which `ridge` is asked; its error rate holds over all of them.
inline constexpr std::size_t ridge_rounds = 4;

/// The fewest warps at which the performance is less than 5 % below the peak, as far as repetitions tell.
struct Ridge {
  std::int64_t first = 0;  ///< first occupancy that is not proven to lack 5 %
  std::int64_t sure = 0;   ///< first occupancy that is proven to lack less; the ridge where it equals `first`
  std::int64_t below = 0;  ///< last measured occupancy before `first`; 0: there is none
  /// Probability that the ridge of the population's means is neither before `first` nor beyond `sure`.
  double confidence = 0;
  /// Occupancies to repeat for a narrower answer: from `first` up to `sure`, and those that may be the peak. Empty
  /// where `first` equals `sure`.
  std::vector<std::int64_t> undecided;
};

/// Finds the ridge among all points. The peak is the best point of `grid`; `refined` holds further occupancies.
///
/// Welch's t-test compares each occupancy with 95 % of the peak. A side counts as decided if the test errs with a
/// probability of at most 1e-3 over all `ridge_rounds` (Bonferroni). Points may differ in their number of repetitions.
/// @throws std::invalid_argument for an empty grid or a point without repetitions.
[[nodiscard]] Ridge ridge(std::span<const analysis::OccupancyPoint> grid,
                          std::span<const analysis::OccupancyPoint> refined = {});

}  // namespace tomograph::instruction_throughput

#endif
