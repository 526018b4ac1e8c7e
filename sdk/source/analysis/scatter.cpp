#include "tomograph/analysis/scatter.hpp"

#include <boost/math/statistics/univariate_statistics.hpp>
#include <cmath>
#include <stdexcept>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::analysis {

double standard_deviation(std::span<const double> sample) {
  if (sample.empty()) throw std::invalid_argument("a sample is empty");
  if (sample.size() == 1) return 0;
  return std::sqrt(boost::math::statistics::sample_variance(sample.begin(), sample.end()));
}

Value scatter_of(std::span<const double> cycles) {
  return {{"median", median(cycles)}, {"p95", quantile(cycles, 0.95)}, {"stdev", standard_deviation(cycles)}};
}

}  // namespace tomograph::analysis
