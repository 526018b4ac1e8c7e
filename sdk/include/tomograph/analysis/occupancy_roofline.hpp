#ifndef TOMOGRAPH_ANALYSIS_OCCUPANCY_ROOFLINE_HPP
#define TOMOGRAPH_ANALYSIS_OCCUPANCY_ROOFLINE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tomograph/analysis/interval.hpp"
#include "tomograph/sm_runs.hpp"

/// The occupancy roofline and the pipeline model of Lemeire, Cornelis and Segers (2016): what an SM executes against
/// the warps that it holds, and the two latencies that describe it. Cycles per instruction (CPI) are those of an SM per
/// instruction of a whole warp. Functions throw std::invalid_argument for empty input.
namespace tomograph::analysis {

/// Mean and 95 % interval of repetitions: 1.96 standard deviations of the values (section III).
struct Repeated {
  double mean = 0;
  double deviation = 0;

  [[nodiscard]] Interval interval() const { return {mean - 1.96 * deviation, mean + 1.96 * deviation}; }
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
  std::vector<double> cpi;  ///< one per repetition; as many at each point
};

/// The model at `warps` warps of `ilp` independent chains each: T(w) = min(w * ilp / completion, 1 / issue), as cycles
/// per instruction.
[[nodiscard]] double roofline_cpi(double completion, double issue, std::int64_t warps, std::int64_t ilp);

/// What a curve says.
struct Roofline {
  Repeated completion;  ///< Eq. 5: the most cycles per instruction, at the least occupancy
  Repeated issue;       ///< Eq. 4: the fewest, with full pipelines
  /// The fewest warps at which the performance is less than 5 % below the peak (section III).
  std::int64_t ridge_warps = 0;
  /// Probability that the population's means have the same ridge, and by no narrow margin: that each point before it
  /// lacks more than 5.75 % and it less than 4.25 %, by Student's t of the repetitions.
  double ridge_confidence = 0;
};

/// The share of the peak that the performance at the ridge may lack.
inline constexpr double ridge_tolerance = 0.05;

/// The latencies, and so the peak, are those of `grid`, a set of occupancies that is chosen beforehand: the best of
/// points that are chosen by what was measured would be chosen by noise. The ridge is one of all points; `refined` are
/// those in addition to the grid.
/// @throws std::invalid_argument also if points have different numbers of repetitions, or none.
[[nodiscard]] Roofline roofline(std::span<const OccupancyPoint> grid, std::span<const OccupancyPoint> refined = {});

/// Whether the curve levels out: from the last but one occupancy of `grid` to the last, the performance rises by less
/// than half of what it would in proportion to the warps. Else the peak is not known. False for a single point.
[[nodiscard]] bool levels_out(std::span<const OccupancyPoint> grid);

/// The warps between which a grid leaves the ridge open: (last point below it, ridge]. The first is 0 where the ridge
/// is the grid's first point.
struct RidgeBracket {
  std::int64_t below = 0;
  std::int64_t ridge = 0;
};
[[nodiscard]] RidgeBracket ridge_bracket(std::span<const OccupancyPoint> grid);

}  // namespace tomograph::analysis

#endif
