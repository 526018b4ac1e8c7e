#include "analysis_ridge.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "tomograph/analysis/proportion.hpp"

namespace tomograph::instruction_throughput {

namespace {

using analysis::OccupancyPoint;

double mean(const OccupancyPoint& point) { return analysis::repeated(point.cpi).mean; }

std::vector<OccupancyPoint> by_warps(std::span<const OccupancyPoint> grid, std::span<const OccupancyPoint> refined) {
  std::vector<OccupancyPoint> all(grid.begin(), grid.end());
  all.insert(all.end(), refined.begin(), refined.end());
  std::ranges::sort(all, {}, &OccupancyPoint::warps);
  return all;
}

const OccupancyPoint& fastest(std::span<const OccupancyPoint> grid) {
  return *std::ranges::min_element(grid, {}, &mean);
}

/// Student's t of a mean, with its degrees of freedom.
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
  const double deviation = factor * analysis::repeated(point.cpi).deviation;
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
  if (error == 0) return {std::copysign(std::numeric_limits<double>::infinity(), difference), 1};
  const auto degrees = [](const OccupancyPoint& of) { return static_cast<double>(of.cpi.size() - 1); };
  const double freedom = own + others == 0 ? degrees(point)
                                           : (own + others) * (own + others) /
                                                 (own * own / degrees(point) + others * others / degrees(peak));
  return {difference / error, freedom};
}

/// False decisions that one round may make: 1e-3 in all rounds together (Bonferroni).
constexpr double accepted_error = 1e-3 / static_cast<double>(ridge_rounds);

/// Which side of 5 % below the peak an occupancy is on.
struct Side {
  bool decided = false;
  bool near = false;  ///< less than 5 % below
  double error = 0;   ///< probability that this is wrong
};

Side side_of(const OccupancyPoint& point, const OccupancyPoint& peak) {
  if (point.warps == peak.warps) return {true, true, 0};
  const Student seen = better_than(1 - analysis::ridge_tolerance, point, peak);
  const double error = seen.error();
  return {error <= accepted_error, seen.t > 0, error * static_cast<double>(ridge_rounds)};
}

/// The peak, and the points that repetitions cannot tell from it.
std::vector<std::int64_t> possible_peaks(std::span<const OccupancyPoint> grid, const OccupancyPoint& peak) {
  // A point as good as the peak is left out with a probability of 1.3e-3 for many repetitions (normal), of 8.5e-3 for
  // five of each (Student's t).
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

double roofline_cpi(double completion, double issue, std::int64_t warps, std::int64_t ilp) {
  return std::max(completion / static_cast<double>(warps * ilp), issue);
}

Ridge ridge(std::span<const OccupancyPoint> grid, std::span<const OccupancyPoint> refined) {
  expect_repetitions(grid);
  const std::vector<OccupancyPoint> all = by_warps(grid, refined);
  expect_repetitions(all);
  const OccupancyPoint& peak = fastest(grid);
  Ridge found;
  found.confidence = 1 - analysis::systematic_error;
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

}  // namespace tomograph::instruction_throughput
