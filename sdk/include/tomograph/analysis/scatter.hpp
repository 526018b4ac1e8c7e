#ifndef TOMOGRAPH_ANALYSIS_SCATTER_HPP
#define TOMOGRAPH_ANALYSIS_SCATTER_HPP

#include <span>

#include "tomograph/value.hpp"

namespace tomograph::analysis {

/// The square root of the unbiased variance, in the unit of the sample. Delayed loads move it, unlike the quantiles of
/// robust_statistics.hpp. 0 for a sample of one. @throws std::invalid_argument for an empty sample.
[[nodiscard]] double standard_deviation(std::span<const double> sample);

/// How the loads behind a latency scatter, as conditions of its fact: "median", "p95" and "stdev", in cycles.
/// @throws std::invalid_argument for an empty sample.
[[nodiscard]] Value scatter_of(std::span<const double> cycles);

}  // namespace tomograph::analysis

#endif
