#ifndef TOMOGRAPH_ANALYSIS_DELAYS_HPP
#define TOMOGRAPH_ANALYSIS_DELAYS_HPP

#include <span>
#include <vector>

#include "tomograph/analysis/latency_modes.hpp"

/// Separates loads that memory delayed from those that it served at once. Unit: cycles.
///
/// DRAM does not answer while it refreshes rows. A load that arrives meanwhile waits for the rest of that time, which
/// is as likely to be short as long. So latencies form one cluster per memory distance, each with a flat tail.
namespace tomograph::analysis {

/// Undelayed loads of one memory distance.
struct Distance {
  double mean = 0;
  double error = 0;  ///< standard error of the mean
  double first = 0;  ///< as far below the median as `last` is above it: nothing delays these loads by less
  double last = 0;   ///< a longer load of this distance counts as delayed
  std::vector<double> loads;
};

/// A sample of loads, split by distance and delay.
struct Delays {
  std::vector<Distance> distances;  ///< nearest first
  double mean = 0;                  ///< of all undelayed loads
  double error = 0;                 ///< standard error of the mean
  std::vector<double> late;         ///< delayed loads

  [[nodiscard]] double late_share() const;
};

/// Resolution at which the slices of one memory partition, near and far, form one cluster.
/// No error rate: chosen so that each partition of an H200 is one cluster.
inline constexpr ModeResolution distant{.absolute = 10, .relative = 0.02, .min_weight = 0.15};

/// Splits `sample`. Loads belong to the nearest of the `modes` at this resolution.
///
/// A load counts as delayed if it lies beyond Tukey's inner fence (1977) of its cluster: further above the median than
/// four times the distance of the lower quartile below it, and at least `resolution.absolute`. The fence is taken from
/// the lower side, which no delay touches. False alarms: 1 in 290 undelayed loads, if the cluster is normal.
/// Delayed loads of one distance that arrive with the cluster of the next count as members of that; they are few.
/// If more than a quarter of the loads would be delayed, the resolution merged distances: it is halved, up to three
/// times, and if that does not help, no load counts as delayed.
/// @throws std::invalid_argument if the sample is empty.
[[nodiscard]] Delays delays(std::span<const double> sample, const ModeResolution& resolution = distant);

}  // namespace tomograph::analysis

#endif
