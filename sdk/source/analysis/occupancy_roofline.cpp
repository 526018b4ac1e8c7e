#include "tomograph/analysis/occupancy_roofline.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace tomograph::analysis {

namespace {

double mean(const OccupancyPoint& point) { return repeated(point.cpi).mean; }

void expect_repetitions(std::span<const OccupancyPoint> points) {
  if (points.empty()) throw std::invalid_argument("the curve is empty");
  const auto empty = [](const OccupancyPoint& point) { return point.cpi.empty(); };
  if (std::ranges::any_of(points, empty)) throw std::invalid_argument("a point has no repetitions");
}

}  // namespace

Repeated repeated(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("there are no repetitions");
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, values.size() < 2 ? 0 : std::sqrt(squares / (count - 1)), values.size()};
}

double Repeated::error() const {
  if (count < 2) return 1;
  const auto values = static_cast<double>(count);
  const boost::math::students_t_distribution<double> of_means(values - 1);
  return 2 * cdf(boost::math::complement(of_means, interval_deviations * std::sqrt(values)));
}

double Repeated::relative_ci() const {
  constexpr double beyond = 0.001 / 2;  // on either side of the interval
  if (count < 2) return INFINITY;
  const auto values = static_cast<double>(count);
  const boost::math::students_t_distribution<double> of_means(values - 1);
  return quantile(boost::math::complement(of_means, beyond)) * deviation / std::sqrt(values) / mean;
}

double cycles_of_run(const SmRun& run) {
  if (run.ctas == 0 || run.concurrent == 0) throw std::invalid_argument("no CTA ran");
  const std::uint32_t runs = (run.ctas + run.concurrent - 1) / run.concurrent;
  return static_cast<double>(run.cycles) / static_cast<double>(runs);
}

double cycles_per_instruction(const BodyPair& pair, std::int64_t instructions, std::int64_t warps_per_cta) {
  if (instructions < 1 || warps_per_cta < 1) throw std::invalid_argument("nothing was executed");
  const double executed = static_cast<double>(instructions * warps_per_cta) * pair.long_body.concurrent;
  return (cycles_of_run(pair.long_body) - cycles_of_run(pair.short_body)) / executed;
}

Roofline roofline(std::span<const OccupancyPoint> grid) {
  expect_repetitions(grid);
  const OccupancyPoint& least = *std::ranges::min_element(grid, {}, &OccupancyPoint::warps);
  const OccupancyPoint& fewest = *std::ranges::min_element(grid, {}, &mean);
  return {repeated(least.cpi), repeated(fewest.cpi), least, fewest};
}

bool starts_too_slow(std::span<const OccupancyPoint> grid, double tolerance) {
  if (grid.size() < 2) return false;
  std::vector<OccupancyPoint> points(grid.begin(), grid.end());
  std::ranges::sort(points, {}, &OccupancyPoint::warps);
  const double warps = static_cast<double>(points[1].warps) / static_cast<double>(points[0].warps);
  return mean(points[0]) > (1 + tolerance) * warps * mean(points[1]);
}

bool levels_out(std::span<const OccupancyPoint> grid) {
  if (grid.size() < 2) return false;
  std::vector<OccupancyPoint> points(grid.begin(), grid.end());
  std::ranges::sort(points, {}, &OccupancyPoint::warps);
  const OccupancyPoint& last = points.back();
  const OccupancyPoint& before = points[points.size() - 2];
  const double proportional = static_cast<double>(last.warps) / static_cast<double>(before.warps);
  return mean(before) / mean(last) - 1 < (proportional - 1) / 2;
}

}  // namespace tomograph::analysis
