#ifndef TOMOGRAPH_ANALYSIS_DELAYS_HPP
#define TOMOGRAPH_ANALYSIS_DELAYS_HPP

#include <span>
#include <vector>

#include "tomograph/analysis/latency_modes.hpp"

/// How long loads of one kind take, apart from those that found their memory busy with itself. Unit: cycles.
///
/// DRAM does not answer while it refreshes rows: a load that comes in meanwhile waits for the rest of that time, which
/// is as likely to be short as long. So the latencies are a heap for each distance of memory, with a flat tail behind
/// it.
namespace tomograph::analysis {

/// Loads that go equally far and were not delayed.
struct Distance {
  double mean = 0;
  double error = 0;  ///< standard error of the mean
  double first = 0;  ///< as far before the median as `last` is behind it: nothing delays these loads by less
  double last = 0;   ///< a load to this distance that takes longer is late
  std::vector<double> loads;
};

/// A sample of loads, taken apart.
struct Delays {
  std::vector<Distance> distances;  ///< the nearest first
  double mean = 0;                  ///< of all loads that are not late
  double error = 0;                 ///< its standard error
  std::vector<double> late;

  [[nodiscard]] double late_share() const;
};

/// The resolution at which memory of one partition is one heap, however far its slices lie apart.
inline constexpr ModeResolution distant{.absolute = 10, .relative = 0.02, .min_weight = 0.15};

/// Loads share a distance if they are of one of the `modes` at this resolution, or nearer to it than to any other. Late
/// are those further above its median than four times what the lower quartile lies below it, but at least
/// `resolution.absolute`. For symmetrical heaps that is Tukey's inner fence (1977), 1 in 290 of a normal distribution
/// beyond it, but taken from the early side, which no delay touches.
/// Late loads of one distance that arrive when those of the next usually do count among these; they are few.
/// Where more than a quarter of the loads would be late, distances were taken for delays: the resolution is halved, up
/// to three times, and if that does not help, no load counts as late.
/// @throws std::invalid_argument if the sample is empty.
[[nodiscard]] Delays delays(std::span<const double> sample, const ModeResolution& resolution = distant);

}  // namespace tomograph::analysis

#endif
