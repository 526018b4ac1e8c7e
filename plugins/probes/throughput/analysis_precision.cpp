#include "analysis_precision.hpp"

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::throughput {

double relative_ci(std::span<const double> values) {
  const auto interval = analysis::median_interval(values, confidence::throughput::interval);
  return (interval.high - interval.low) / 2 / analysis::median(values);
}

bool is_precise(std::span<const double> values) { return relative_ci(values) <= useful_ci / 2; }

}  // namespace tomograph::throughput
