#ifndef TOMOGRAPH_ANALYSIS_CLOCK_STEP_HPP
#define TOMOGRAPH_ANALYSIS_CLOCK_STEP_HPP

#include <span>

namespace tomograph::analysis {

/// Cycles by which the clock counts, as far as single latencies show it: the greatest common divisor of their
/// differences, at least 1. Each latency, and the mean of latencies that begin at the same phase of the clock, may be
/// off by this much.
[[nodiscard]] double clock_step(std::span<const double> latencies);

}  // namespace tomograph::analysis

#endif
