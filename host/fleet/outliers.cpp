#include "fleet/outliers.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::host {
namespace {

constexpr std::size_t fewest_values = 3;  // two have no degree of freedom left

/// Sums of values that are removed one by one.
struct Moments {
  double count = 0;
  double sum = 0;
  double squares = 0;

  void add(double value, double sign) {
    count += sign;
    sum += sign * value;
    squares += sign * value * value;
  }
  [[nodiscard]] double mean() const { return sum / count; }
  [[nodiscard]] double deviation() const {
    return std::sqrt(std::max(0.0, (squares - sum * sum / count) / (count - 1)));
  }
};

}  // namespace

RobustScale robust_scale(std::span<const double> sample) {
  constexpr double of_median_deviation = 1.4826;  // 1 / quantile of the normal distribution at 3/4
  constexpr double of_mean_deviation = 1.2533;    // square root of pi / 2
  RobustScale scale{analysis::median(sample), 0};
  scale.spread = of_median_deviation * analysis::median_absolute_deviation(sample);
  if (scale.spread > 0) return scale;
  double sum = 0;
  for (const double value : sample) sum += std::abs(value - scale.median);
  scale.spread = of_mean_deviation * sum / static_cast<double>(sample.size());
  return scale;
}

double OutlierTest::critical_distance(std::size_t remaining, std::size_t step) {
  const auto [known, is_new] = critical_.try_emplace({remaining, step}, 0);
  if (!is_new) return known->second;
  const auto m = static_cast<double>(remaining);
  const auto i = static_cast<double>(step);
  const boost::math::students_t t_distribution(m - 2);
  const double t = boost::math::quantile(boost::math::complement(t_distribution, rate_ / (i * (i + 1)) / (2 * m)));
  known->second = (m - 1) / std::sqrt(m * ((m - 2) / (t * t) + 1));
  return known->second;
}

std::vector<std::size_t> OutlierTest::outliers(std::span<const double> sample) {
  if (sample.size() < fewest_values) return {};
  std::vector<std::size_t> order(sample.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(sample[i], i); });
  const double origin = sample[order[order.size() / 2]];  // keeps the digits of close values
  Moments moments;
  for (const double value : sample) moments.add(value - origin, 1);

  const auto share = static_cast<std::size_t>(most_outliers * static_cast<double>(sample.size()));
  const std::size_t most = std::clamp<std::size_t>(share, 1, sample.size() - 2);
  std::vector<std::size_t> removed;
  std::size_t found = 0;
  for (auto first = order.begin(), last = order.end() - 1; removed.size() < most;) {
    const double below = moments.mean() - (sample[*first] - origin);
    const double above = (sample[*last] - origin) - moments.mean();
    const double distance = std::max(below, above);
    const double deviation = moments.deviation();
    if (!(deviation > 0)) break;
    removed.push_back(above >= below ? *last-- : *first++);
    const std::size_t remaining = sample.size() - removed.size() + 1;
    if (distance / deviation > critical_distance(remaining, removed.size())) found = removed.size();
    moments.add(sample[removed.back()] - origin, -1);
  }
  removed.resize(found);
  return removed;
}

}  // namespace tomograph::host
