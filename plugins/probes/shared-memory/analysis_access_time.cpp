#include "analysis_access_time.hpp"

#include <algorithm>
#include <cmath>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/analysis/scatter.hpp"

namespace tomograph::shared_memory {

namespace {

/// The extremes of so many samples enclose the median of the population but with probability 2^(1 - 16) = 3e-5.
constexpr std::size_t least_samples = 16;

}  // namespace

AccessTime access_time(std::span<const double> cycles) {
  const auto interval = analysis::median_interval(cycles, confidence::shared_memory::interval);
  const auto [low, high] = std::ranges::minmax(cycles);
  const double middle = analysis::median(cycles);
  return {.cycles = middle,
          .low = low,
          .high = high,
          .p95 = analysis::quantile(cycles, 0.95),
          .deviation = analysis::standard_deviation(cycles),
          .samples = cycles.size(),
          .relative_ci = (interval.high - interval.low) / 2 / middle};
}

bool is_precise(std::span<const double> cycles) {
  return cycles.size() >= least_samples && access_time(cycles).relative_ci <= useful_ci / 2;
}

double median_error(std::size_t samples) { return std::exp2(1 - static_cast<double>(samples)); }

}  // namespace tomograph::shared_memory
