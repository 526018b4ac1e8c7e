#ifndef TOMOGRAPH_ANALYSIS_STEP_FIT_HPP
#define TOMOGRAPH_ANALYSIS_STEP_FIT_HPP

#include <optional>
#include <span>
#include <vector>

#include "tomograph/analysis/interval.hpp"

/// Plateau, ramp, plateau: latency or miss ratio against array size around one cache level.
namespace tomograph::analysis {

/// The non-decreasing sequence nearest to `values` in least squares: pool adjacent violators (Ayer et al. 1955).
/// `weights` is empty (all alike) or has one positive weight per value. @throws std::invalid_argument otherwise.
[[nodiscard]] std::vector<double> isotonic(std::span<const double> values, std::span<const double> weights = {});

/// A step.
struct StepFit {
  double lower = 0;  ///< level of the plateau before it
  double upper = 0;  ///< level of the plateau after it
  /// Where the level leaves the lower plateau: not before `low`, already above it at `high`. For an LRU cache, the size
  /// lies in [low, high).
  Interval knee;
  /// Where it reaches the upper plateau: still below it at `low`, reached at `high`.
  Interval top;
  double residual = 0;  ///< standard deviation of the levels around the fit
  double p_value = 1;   ///< bound on the probability of so good a fit without a step
};

/// The least-squares fit of lower for x <= x_a, linear in between, upper for x >= x_b, over all pairs a < b of sizes
/// and middles between neighbouring sizes. Intervals hold all breakpoints whose fit is not significantly worse than the
/// best (joint likelihood region of levels and breakpoints, F quantile at `confidence`), widened to sizes that were
/// measured, so they grow with noise. No real ramp is quite straight: deviations below 2 % of the step count as noise.
/// p_value: F test against a constant level, times the number of pairs tried. Feed medians or shares: least squares
/// does not forgive outliers. Nothing if there are fewer than 6 points, the best fit falls, or p_value > 1 -
/// confidence. O(n^2).
/// @throws std::invalid_argument if lengths differ, sizes do not ascend, or confidence is not within (0, 1).
[[nodiscard]] std::optional<StepFit> fit_step(std::span<const double> sizes, std::span<const double> levels,
                                              double confidence = 0.99);

}  // namespace tomograph::analysis

#endif
