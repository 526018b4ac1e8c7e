#include "tomograph/analysis/occupancy_roofline.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <iterator>
#include <numeric>
#include <stdexcept>

#include "tomograph/analysis/proportion.hpp"

namespace tomograph::analysis {

namespace {

double mean(const OccupancyPoint& point) { return repeated(point.cpi).mean; }

std::vector<OccupancyPoint> by_warps(std::span<const OccupancyPoint> grid, std::span<const OccupancyPoint> refined) {
  std::vector<OccupancyPoint> all(grid.begin(), grid.end());
  all.insert(all.end(), refined.begin(), refined.end());
  std::ranges::sort(all, {}, &OccupancyPoint::warps);
  return all;
}

const OccupancyPoint& fastest(std::span<const OccupancyPoint> grid) {
  return *std::ranges::min_element(grid, {}, &mean);
}

/// Student's t of a mean, and of how many degrees of freedom it is.
struct Student {
  double t = 0;
  double freedom = 1;

  /// Probability that the population's mean lies on the other side of 0.
  [[nodiscard]] double error() const {
    if (std::isinf(t)) return 0;
    return cdf(boost::math::complement(boost::math::students_t_distribution<double>(freedom), std::abs(t)));
  }
};

/// Variance of the mean of a point's repetitions, times `factor` squared.
double variance_of_mean(const OccupancyPoint& point, double factor) {
  const double deviation = factor * repeated(point.cpi).deviation;
  return deviation * deviation / static_cast<double>(point.cpi.size());
}

/// Welch's t of `peak` - `share` * `point`: positive if the point performs better than that share of the peak
/// (performance is the inverse of cycles). One repetition tells nothing.
Student better_than(double share, const OccupancyPoint& point, const OccupancyPoint& peak) {
  if (point.cpi.size() < 2 || peak.cpi.size() < 2) return {};
  const double difference = mean(peak) - share * mean(point);
  const double own = variance_of_mean(point, share);
  const double others = variance_of_mean(peak, 1);
  const double common = std::hypot(share * point.resolution, peak.resolution);
  const double error = std::sqrt(own + others + common * common);
  if (error == 0) return {difference > 0 ? INFINITY : -INFINITY, 1};
  const auto degrees = [](const OccupancyPoint& of) { return static_cast<double>(of.cpi.size() - 1); };
  const double freedom = own + others == 0 ? degrees(point)
                                           : (own + others) * (own + others) /
                                                 (own * own / degrees(point) + others * others / degrees(peak));
  return {difference / error, freedom};
}

/// A look may err so often.
constexpr double accepted_error = 1e-3 / static_cast<double>(ridge_looks);

/// Which side of 5 % below the peak an occupancy is on.
struct Side {
  bool decided = false;
  bool near = false;  ///< less than 5 % below
  double error = 0;   ///< probability that this is wrong
};

Side side_of(const OccupancyPoint& point, const OccupancyPoint& peak) {
  if (point.warps == peak.warps) return {true, true, 0};
  const Student seen = better_than(1 - ridge_tolerance, point, peak);
  const double error = seen.error();
  return {error <= accepted_error, seen.t > 0, error * static_cast<double>(ridge_looks)};
}

/// The peak, and what repetitions cannot tell from it.
std::vector<std::int64_t> possible_peaks(std::span<const OccupancyPoint> grid, const OccupancyPoint& peak) {
  constexpr double possible = 3;
  std::vector<std::int64_t> warps;
  for (const OccupancyPoint& point : grid) {
    if (point.warps == peak.warps || better_than(1, point, peak).t > -possible) warps.push_back(point.warps);
  }
  return warps;
}

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
  return 2 * cdf(boost::math::complement(of_means, 1.96 * std::sqrt(values)));
}

double Repeated::relative_ci() const {
  constexpr double beyond = 0.001 / 2;
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

double roofline_cpi(double completion, double issue, std::int64_t warps, std::int64_t ilp) {
  return std::max(completion / static_cast<double>(warps * ilp), issue);
}

Roofline roofline(std::span<const OccupancyPoint> grid) {
  expect_repetitions(grid);
  const OccupancyPoint& most = *std::ranges::max_element(grid, {}, &mean);
  const OccupancyPoint& fewest = fastest(grid);
  return {repeated(most.cpi), repeated(fewest.cpi), most, fewest};
}

Ridge ridge(std::span<const OccupancyPoint> grid, std::span<const OccupancyPoint> refined) {
  expect_repetitions(grid);
  const std::vector<OccupancyPoint> all = by_warps(grid, refined);
  expect_repetitions(all);
  const OccupancyPoint& peak = fastest(grid);
  Ridge found;
  found.confidence = 1 - systematic_error;
  for (const OccupancyPoint& point : all) {
    const Side side = side_of(point, peak);
    if (side.decided) found.confidence -= side.error;
    const bool surely_below = side.decided && !side.near;
    if (found.first == 0 && surely_below) found.below = point.warps;
    if (found.first == 0 && !surely_below) found.first = point.warps;
    if (!side.decided) found.undecided.push_back(point.warps);
    if (!side.decided || !side.near) continue;
    found.sure = point.warps;
    break;
  }
  if (found.undecided.empty()) return found;
  const auto peaks = possible_peaks(grid, peak);
  std::ranges::copy_if(peaks, std::back_inserter(found.undecided), [&](std::int64_t warps) {
    return std::ranges::find(found.undecided, warps) == found.undecided.end();
  });
  return found;
}

bool levels_out(std::span<const OccupancyPoint> grid) {
  if (grid.size() < 2) return false;
  const std::vector<OccupancyPoint> all = by_warps(grid, {});
  const OccupancyPoint& last = all.back();
  const OccupancyPoint& before = all[all.size() - 2];
  const double proportional = static_cast<double>(last.warps) / static_cast<double>(before.warps);
  return mean(before) / mean(last) - 1 < (proportional - 1) / 2;
}

}  // namespace tomograph::analysis
