#ifndef TOMOGRAPH_ANALYSIS_OCCUPANCY_ROOFLINE_HPP
#define TOMOGRAPH_ANALYSIS_OCCUPANCY_ROOFLINE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tomograph/analysis/interval.hpp"
#include "tomograph/experiment/sm_runs.hpp"

/// The occupancy roofline and the pipeline model of Lemeire, Cornelis and Segers (2016): what an SM executes against
/// the warps that it holds, and the two latencies that describe it. Cycles per instruction (CPI) are those of an SM per
/// instruction of a whole warp. Functions throw std::invalid_argument for empty input.
namespace tomograph::analysis {

/// Mean and 95 % interval of repetitions: 1.96 standard deviations of the values (section III).
struct Repeated {
  double mean = 0;
  double deviation = 0;
  std::size_t count = 0;

  [[nodiscard]] Interval interval() const { return {mean - 1.96 * deviation, mean + 1.96 * deviation}; }
  /// Probability that the interval of single repetitions does not cover what the mean of many would be: Student's t
  /// beyond 1.96 sqrt(count) on either side. 1 for fewer than two.
  [[nodiscard]] double error() const;
  /// Half of the interval that covers the mean of many with 99.9 %, as a share of it (Student's t). Infinite for fewer
  /// than two.
  [[nodiscard]] double relative_ci() const;
};
[[nodiscard]] Repeated repeated(std::span<const double> values);

/// Cycles of one run of all CTAs that an SM holds at the same time: what its CTAs took together, divided by the number
/// of runs, ceil(ctas / concurrent) (section V-B: timeOfRun = runtime / runsCU).
[[nodiscard]] double cycles_of_run(const SmRun& run);

/// One repetition of two experiments that differ in the length of the loop's body alone.
struct BodyPair {
  SmRun short_body;
  SmRun long_body;
};

/// Cycles per instruction of a warp (section V-B: CPI_warp = cyclesOfRun / (instrKernel * warpsWG * concWG)), from the
/// difference of two bodies: `instructions` is how many more each thread executes in the long one. What loop, clock and
/// start cost is the same for both.
[[nodiscard]] double cycles_per_instruction(const BodyPair& pair, std::int64_t instructions,
                                            std::int64_t warps_per_cta);

/// What repetitions measured at one occupancy.
struct OccupancyPoint {
  std::int64_t warps = 0;   ///< that an SM holds
  std::vector<double> cpi;  ///< one per repetition
  /// Error that all repetitions may have in common, from clocks that count whole cycles.
  double resolution = 0;
};

/// The model at `warps` warps of `ilp` independent chains each: T(w) = min(w * ilp / completion, 1 / issue), as cycles
/// per instruction.
[[nodiscard]] double roofline_cpi(double completion, double issue, std::int64_t warps, std::int64_t ilp);

/// What a curve says.
struct Roofline {
  Repeated completion;     ///< Eq. 5: the most cycles per instruction, at the least occupancy
  Repeated issue;          ///< Eq. 4: the fewest, with full pipelines
  OccupancyPoint slowest;  ///< that they are of
  OccupancyPoint fastest;
};

/// The latencies are those of `grid`, a set of occupancies that is chosen beforehand: the best of points that are
/// chosen by what was measured would be chosen by noise.
/// @throws std::invalid_argument also if a point has no repetitions.
[[nodiscard]] Roofline roofline(std::span<const OccupancyPoint> grid);

/// The share of the peak that the performance at the ridge may lack (section III).
inline constexpr double ridge_tolerance = 0.05;
/// Repetitions may be added as long as they leave something undecided; so often is looked at them at most.
inline constexpr std::size_t ridge_looks = 4;

/// The fewest warps at which the performance is less than 5 % below the peak, as far as repetitions tell.
struct Ridge {
  std::int64_t first = 0;  ///< the first occupancy that does not surely lack 5 %
  std::int64_t sure = 0;   ///< the first that surely does not: the ridge, if it is the same
  std::int64_t below = 0;  ///< the last measured occupancy before `first`; 0: there is none
  /// Probability that the ridge of the population's means is neither before `first` nor beyond `sure`.
  double confidence = 0;
  /// Occupancies of which more repetitions would tell more: those from `first` up to `sure`, and those that may be the
  /// peak. Empty where `first` is `sure`.
  std::vector<std::int64_t> undecided;
};

/// Each occupancy is compared with the peak of `grid` by Welch's t of the repetitions, which may differ in number: on
/// either side of 5 % it is surely if an error is less likely than one in a thousand over all looks. The peak is the
/// best of the grid. The ridge is one of all points; `refined` are those in addition to the grid.
/// @throws std::invalid_argument as roofline.
[[nodiscard]] Ridge ridge(std::span<const OccupancyPoint> grid, std::span<const OccupancyPoint> refined = {});

/// Whether the curve levels out: from the last but one occupancy of `grid` to the last, the performance rises by less
/// than half of what it would in proportion to the warps. Else the peak is not known. False for a single point.
[[nodiscard]] bool levels_out(std::span<const OccupancyPoint> grid);

}  // namespace tomograph::analysis

#endif
