#include "tomograph/analysis/robust_statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/statistics/univariate_statistics.hpp>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace tomograph::analysis {
namespace {

constexpr const char* of_nothing = "statistics of an empty sample";

std::vector<double> copied(std::span<const double> sample) {
  if (sample.empty()) throw std::invalid_argument(of_nothing);
  return {sample.begin(), sample.end()};
}

std::vector<double> sorted(std::span<const double> sample) {
  std::vector<double> values = copied(sample);
  std::sort(values.begin(), values.end());
  return values;
}

/// Largest k >= 1 with 2 P[Binomial(n, 1/2) < k] <= miss, or 1 if even that one is too many.
std::size_t order_statistic(std::size_t n, double miss) {
  const boost::math::binomial_distribution<> below(static_cast<double>(n), 0.5);
  const auto start = static_cast<std::size_t>(boost::math::quantile(below, miss / 2));
  std::size_t k = std::clamp<std::size_t>(start, 1, (n + 1) / 2);
  while (k > 1 && 2 * boost::math::cdf(below, static_cast<double>(k - 1)) > miss) --k;
  while (k < n / 2 && 2 * boost::math::cdf(below, static_cast<double>(k)) <= miss) ++k;
  return k;
}

}  // namespace

double quantile(std::span<const double> sample, double p) {
  if (!(p >= 0 && p <= 1)) throw std::invalid_argument("quantile of " + std::to_string(p) + " is not within [0, 1]");
  std::vector<double> values = copied(sample);
  const double position = p * static_cast<double>(values.size() - 1);
  const auto whole = static_cast<std::ptrdiff_t>(position);
  const auto below = values.begin() + whole;
  std::nth_element(values.begin(), below, values.end());
  const double above = below + 1 == values.end() ? *below : *std::min_element(below + 1, values.end());
  return std::lerp(*below, above, position - static_cast<double>(whole));
}

double median(std::span<const double> sample) {
  std::vector<double> values = copied(sample);
  return median_in_place(values);
}

double median_in_place(std::span<double> sample) {
  if (sample.empty()) throw std::invalid_argument(of_nothing);
  return boost::math::statistics::median(sample.begin(), sample.end());
}

double median_absolute_deviation(std::span<const double> sample) {
  // Not Boost's: 1.74 returns the value whose distance is the median one instead of that distance.
  std::vector<double> distances = copied(sample);
  const double center = median(sample);
  for (double& x : distances) x = std::abs(x - center);
  return boost::math::statistics::median(distances);
}

double trimmed_mean(std::span<const double> sample, double share) {
  if (!(share >= 0 && share < 0.5)) throw std::invalid_argument("a share to trim must be within [0, 0.5)");
  const std::vector<double> values = sorted(sample);
  const auto cut = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size()));
  return std::accumulate(values.begin() + cut, values.end() - cut, 0.0) /
         static_cast<double>(static_cast<std::ptrdiff_t>(values.size()) - 2 * cut);
}

MedianInterval median_interval(std::span<const double> sample, double confidence) {
  if (!(confidence > 0 && confidence < 1)) throw std::invalid_argument("a confidence must be within (0, 1)");
  const std::vector<double> values = sorted(sample);
  const std::size_t n = values.size();
  const std::size_t k = order_statistic(n, 1 - confidence);
  const boost::math::binomial_distribution<> below(static_cast<double>(n), 0.5);
  const double coverage = 1 - 2 * boost::math::cdf(below, static_cast<double>(k - 1));
  return {values[k - 1], values[n - k], std::max(0.0, coverage)};
}

}  // namespace tomograph::analysis
