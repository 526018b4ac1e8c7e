#ifndef TOMOGRAPH_DSMEM_ANALYSIS_TRIALS_HPP
#define TOMOGRAPH_DSMEM_ANALYSIS_TRIALS_HPP

#include <cstddef>
#include <span>

#include "tomograph/fact.hpp"

namespace tomograph::dsmem {

/// A value that several trials measured.
struct Estimate {
  double value = 0;  ///< interquartile mean of the trials
  Interval interval{};
  std::size_t trials = 0;
};

/// Resolutions, as shares of the value: differences between two runs of the probe that the trials of one run do not
/// show. Chosen on an H200.
inline constexpr double latency_resolution = 0.005;
inline constexpr double throughput_resolution = 0.01;

/// The estimate of several trials, at least one. The interval reaches beyond the smallest and the largest trial by
/// their range and by `resolution`, a share of the value. For normally distributed trials it misses the true mean in 4
/// % of simulations with 3 trials, in 0.1 % with 5, and in none of 40,000 with 9 or more.
[[nodiscard]] Estimate summarize(std::span<const double> trials, double resolution);

}  // namespace tomograph::dsmem

#endif
