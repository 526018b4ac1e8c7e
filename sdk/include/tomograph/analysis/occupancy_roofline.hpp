#ifndef TOMOGRAPH_ANALYSIS_OCCUPANCY_ROOFLINE_HPP
#define TOMOGRAPH_ANALYSIS_OCCUPANCY_ROOFLINE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tomograph/analysis/interval.hpp"
#include "tomograph/sm_runs.hpp"

/// The occupancy roofline of Lemeire, Cornelis and Segers (2016): the throughput of an SM against the number of its
/// warps, and the two latencies that describe it. Cycles per instruction (CPI) are those of an SM per instruction of a
/// whole warp. All functions throw std::invalid_argument for empty input.
namespace tomograph::analysis {

/// Mean and spread of repetitions.
struct Repeated {
  double mean = 0;
  double deviation = 0;
  std::size_t count = 0;

  /// Interval of single repetitions (section III): 1.96 standard deviations around the mean, 95 % of a normal.
  [[nodiscard]] Interval interval() const {
    return {mean - interval_deviations * deviation, mean + interval_deviations * deviation};
  }
  /// Probability that `interval` does not cover the mean of infinitely many repetitions: Student's t beyond
  /// 1.96 sqrt(count) on either side. 1 for fewer than two.
  [[nodiscard]] double error() const;
  /// Half the 99.9 % confidence interval of the mean (Student's t), as a share of the mean. Infinite for fewer than
  /// two.
  [[nodiscard]] double relative_ci() const;

  static constexpr double interval_deviations = 1.96;  // 95 % of a normal
};
[[nodiscard]] Repeated repeated(std::span<const double> values);

/// Cycles of one run of all CTAs that an SM holds at the same time: the cycles of all its CTAs divided by the number of
/// runs, ceil(ctas / concurrent) (section V-B: timeOfRun = runtime / runsCU).
[[nodiscard]] double cycles_of_run(const SmRun& run);

/// One repetition of two experiments that differ only in the length of the loop's body.
struct BodyPair {
  SmRun short_body;
  SmRun long_body;
};

/// Cycles per instruction of a warp (section V-B: CPI_warp = cyclesOfRun / (instrKernel * warpsWG * concWG)), from the
/// difference of two bodies: `instructions` is the number that each thread executes more in the long one. The cost of
/// loop, clock and start cancels out.
[[nodiscard]] double cycles_per_instruction(const BodyPair& pair, std::int64_t instructions,
                                            std::int64_t warps_per_cta);

/// Repetitions at one occupancy.
struct OccupancyPoint {
  std::int64_t warps = 0;   ///< that an SM holds
  std::vector<double> cpi;  ///< one per repetition
  /// Error that all repetitions may share, from clocks that count whole cycles.
  double resolution = 0;
};

/// The two latencies of a curve.
struct Roofline {
  Repeated completion;     ///< Eq. 5: cycles per instruction at the least occupancy, where they are most
  Repeated issue;          ///< Eq. 4: the fewest, with full pipelines
  OccupancyPoint slowest;  ///< the point of `completion`
  OccupancyPoint fastest;  ///< the point of `issue`
};

/// Takes the latencies from `grid`, occupancies that were chosen beforehand: among points that were chosen by what was
/// measured, noise would choose the best.
/// @throws std::invalid_argument also if a point has no repetitions.
[[nodiscard]] Roofline roofline(std::span<const OccupancyPoint> grid);

/// Share of the peak that the performance at the ridge may lack (section III).
inline constexpr double ridge_tolerance = 0.05;

/// Whether the least occupancy is slower than others allow: twice the warps are at most twice as fast. A disturbance
/// delayed it if its cycles per instruction exceed that by more than `tolerance`. False for a single point.
[[nodiscard]] bool starts_too_slow(std::span<const OccupancyPoint> grid, double tolerance);

/// Whether the curve levels out, so that its peak is known: from the last but one occupancy of `grid` to the last, the
/// performance rises by less than half of what it would in proportion to the warps. False for a single point.
[[nodiscard]] bool levels_out(std::span<const OccupancyPoint> grid);

}  // namespace tomograph::analysis

#endif
