#ifndef ANALYSIS_HPP
#define ANALYSIS_HPP

#include <span>

#include "tomograph/analysis/robust_statistics.hpp"

/// How long an operation typically takes: the median, and what encloses it with a known probability.
struct Latency {
  double cycles = 0;
  tomograph::analysis::MedianInterval interval;
};

/// Rare long waits do not move it. @throws std::invalid_argument for an empty sample.
[[nodiscard]] Latency typical(std::span<const double> cycles);

#endif
