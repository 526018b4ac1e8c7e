#include "tomograph/analysis/change_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace tomograph::analysis {
namespace {

/// Sums of values and of their squares over the first i values, around their mean to keep the digits.
struct PrefixSums {
  explicit PrefixSums(std::span<const double> series) : sum(series.size() + 1), square(series.size() + 1) {
    const double mean = std::accumulate(series.begin(), series.end(), 0.0) / static_cast<double>(series.size());
    for (std::size_t i = 0; i < series.size(); ++i) {
      const double x = series[i] - mean;
      sum[i + 1] = sum[i] + x;
      square[i + 1] = square[i] + x * x;
    }
  }

  /// Sum of squared deviations from the empirical mean over [begin, end).
  [[nodiscard]] double cost(std::size_t begin, std::size_t end) const {
    const double s = sum[end] - sum[begin];
    return square[end] - square[begin] - s * s / static_cast<double>(end - begin);
  }

  std::vector<double> sum;
  std::vector<double> square;
};

/// n m / (n + m), as in Eq. 3.3.
double effective_size(std::size_t n, std::size_t m) {
  return static_cast<double>(n) * static_cast<double>(m) / static_cast<double>(n + m);
}

}  // namespace

double distance_to_ones(std::span<const double> sample) {
  double squares = 0;
  for (const double x : sample) squares += (x - 1) * (x - 1);
  return std::sqrt(squares);
}

std::vector<double> reduce(std::span<const std::vector<double>> samples) {
  std::vector<double> reduced;
  reduced.reserve(samples.size());
  for (const std::vector<double>& sample : samples) {
    if (sample.size() != samples.front().size()) throw std::invalid_argument("samples to reduce must be of one length");
    reduced.push_back(distance_to_ones(sample));
  }
  return reduced;
}

std::optional<std::size_t> most_likely_change(std::span<const double> series) {
  if (series.size() < 2) return std::nullopt;
  const PrefixSums sums(series);
  std::size_t best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < series.size(); ++i) {
    const double cost = sums.cost(0, i) + sums.cost(i, series.size());
    if (cost < least) {
      best = i;
      least = cost;
    }
  }
  return best;
}

double kolmogorov_smirnov_statistic(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) throw std::invalid_argument("Kolmogorov-Smirnov statistic of an empty sample");
  std::vector<double> x(a.begin(), a.end());
  std::vector<double> y(b.begin(), b.end());
  std::sort(x.begin(), x.end());
  std::sort(y.begin(), y.end());
  double largest = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < x.size() && j < y.size()) {
    const double at = std::min(x[i], y[j]);
    while (i < x.size() && x[i] <= at) ++i;
    while (j < y.size() && y[j] <= at) ++j;
    const double f = static_cast<double>(i) / static_cast<double>(x.size());
    const double g = static_cast<double>(j) / static_cast<double>(y.size());
    largest = std::max(largest, std::abs(f - g));
  }
  return largest;
}

double kolmogorov_smirnov_critical(std::size_t n, std::size_t m, double alpha) {
  if (n == 0 || m == 0 || !(alpha > 0 && alpha < 1))
    throw std::invalid_argument("a critical value needs two samples and 0 < alpha < 1");
  return std::sqrt(-0.5 * std::log(alpha / 2) / effective_size(n, m));
}

std::optional<ChangePoint> find_change_point(std::span<const double> series, double alpha) {
  const auto index = most_likely_change(series);
  if (!index) return std::nullopt;
  const std::size_t n = *index;
  const std::size_t m = series.size() - n;
  const double d = kolmogorov_smirnov_statistic(series.first(n), series.last(m));
  const double critical = kolmogorov_smirnov_critical(n, m, alpha);
  return ChangePoint{n, d, critical, d > critical};
}

}  // namespace tomograph::analysis
