#include "analysis_surface.hpp"

#include <algorithm>
#include <stdexcept>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::tensor {

namespace {

/// By how many cycles the beginnings and ends of two runs may differ: by up to 9 on an H200.
constexpr double edges = 16;

std::vector<double> differences(const ProductsAnswer& few, const ProductsAnswer& many) {
  const std::vector<double> of_few(few.cycles.begin(), few.cycles.end());
  const double begin = analysis::median(of_few);
  std::vector<double> more;
  for (const std::int64_t cycles : many.cycles) more.push_back(static_cast<double>(cycles) - begin);
  return more;
}

}  // namespace

double Point::rate() const { return static_cast<double>(form.operations()) / cycles; }

Interval Point::rate_interval() const {
  const auto operations = static_cast<double>(form.operations());
  return {operations / interval.high, operations / interval.low};
}

Point point_of(Point setting, double products, std::span<const ProductsAnswer> few,
               std::span<const ProductsAnswer> many) {
  if (few.empty() || few.size() != many.size()) {
    throw std::invalid_argument("products are timed in pairs of runs");
  }
  std::vector<double> more;
  for (std::size_t trial = 0; trial < few.size(); ++trial) {
    const auto one = differences(few[trial], many[trial]);
    more.insert(more.end(), one.begin(), one.end());
  }
  const auto bounds = analysis::median_interval(more, confidence::median_interval);
  setting.cycles = analysis::median(more) / products;
  setting.interval = {(bounds.low - edges) / products - setting.branch, (bounds.high + edges) / products};
  return setting;
}

const Point* fastest(std::span<const Point> points) {
  const auto found = std::ranges::max_element(points, {}, &Point::rate);
  return found == points.end() ? nullptr : &*found;
}

bool is_saturated(std::span<const Point> points) {
  // A rate that rises with the warps doubles with them. A saturated one varied by less than 3 % on an H200.
  constexpr double nearly = 0.97;
  const Point* best = fastest(points);
  if (best == nullptr) return false;
  const std::int64_t most = std::ranges::max(points, {}, &Point::warps).warps;
  return std::ranges::any_of(
      points, [&](const Point& one) { return 2 * one.warps <= most && one.rate() >= nearly * best->rate(); });
}

std::map<std::int64_t, std::int64_t> saturating_warps(std::span<const Point> points, double share) {
  std::map<std::int64_t, std::int64_t> found;
  const Point* best = fastest(points);
  for (const Point& one : points) {
    if (one.rate() < share * best->rate()) continue;
    const auto [entry, is_new] = found.try_emplace(one.ilp, one.warps);
    if (!is_new) entry->second = std::min(entry->second, one.warps);
  }
  return found;
}

}  // namespace tomograph::tensor
