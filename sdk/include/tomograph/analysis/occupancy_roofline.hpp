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
/// Whether the curve levels out: from the last but one occupancy of `grid` to the last, the performance rises by less
/// than half of what it would in proportion to the warps. Else the peak is not known. False for a single point.
[[nodiscard]] bool levels_out(std::span<const OccupancyPoint> grid);

}  // namespace tomograph::analysis

#endif
