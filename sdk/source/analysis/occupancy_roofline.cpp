#include "tomograph/analysis/occupancy_roofline.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
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

/// By repetition, how far a point is above a performance that lacks `tolerance` of the peak's. Performance is the
/// inverse of cycles.
std::vector<double> margins(const OccupancyPoint& point, const OccupancyPoint& peak, double tolerance) {
  std::vector<double> margins;
  for (std::size_t i = 0; i < point.cpi.size(); ++i) {
    margins.push_back(peak.cpi[i] - (1 - tolerance) * point.cpi[i]);
  }
  return margins;
}

/// Position of the first of `all` that is near enough to the peak.
std::size_t ridge_index(std::span<const OccupancyPoint> all, const OccupancyPoint& peak) {
  const auto ridge = std::ranges::find_if(
      all, [&](const OccupancyPoint& point) { return repeated(margins(point, peak, ridge_tolerance)).mean > 0; });
  return static_cast<std::size_t>(ridge - all.begin());
}

/// Probability that the mean of the population is above 0.
double positive_confidence(const std::vector<double>& values) {
  const Repeated seen = repeated(values);
  if (values.size() < 2) return 0.5;
  if (seen.deviation == 0) return seen.mean > 0 ? 1 : 0;
  const auto count = static_cast<double>(values.size());
  const boost::math::students_t_distribution<double> student(count - 1);
  return cdf(student, seen.mean / (seen.deviation / std::sqrt(count)));
}

double ridge_confidence(std::span<const OccupancyPoint> up_to_ridge, const OccupancyPoint& peak) {
  constexpr double margin = 0.0075;
  double confidence = 1 - systematic_error;
  for (const OccupancyPoint& point : up_to_ridge.first(up_to_ridge.size() - 1)) {
    confidence *= 1 - positive_confidence(margins(point, peak, ridge_tolerance + margin));
  }
  const OccupancyPoint& ridge = up_to_ridge.back();
  if (ridge.warps == peak.warps) return confidence;
  return confidence * positive_confidence(margins(ridge, peak, ridge_tolerance - margin));
}

void expect_repetitions(std::span<const OccupancyPoint> points, std::size_t repetitions) {
  if (points.empty() || repetitions == 0) throw std::invalid_argument("the curve is empty");
  const auto differs = [&](const OccupancyPoint& point) { return point.cpi.size() != repetitions; };
  if (std::ranges::any_of(points, differs)) throw std::invalid_argument("points have different repetitions");
}

}  // namespace

Repeated repeated(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("there are no repetitions");
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, values.size() < 2 ? 0 : std::sqrt(squares / (count - 1))};
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

Roofline roofline(std::span<const OccupancyPoint> grid, std::span<const OccupancyPoint> refined) {
  const std::vector<OccupancyPoint> all = by_warps(grid, refined);
  const std::size_t repetitions = grid.empty() ? 0 : grid.front().cpi.size();
  expect_repetitions(all, repetitions);
  Roofline found;
  found.completion = repeated(std::ranges::max_element(grid, {}, &mean)->cpi);
  const OccupancyPoint& peak = fastest(grid);
  found.issue = repeated(peak.cpi);
  const std::size_t ridge = ridge_index(all, peak);
  found.ridge_warps = all[ridge].warps;
  found.ridge_confidence = ridge_confidence(std::span(all).first(ridge + 1), peak);
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

RidgeBracket ridge_bracket(std::span<const OccupancyPoint> grid) {
  expect_repetitions(grid, grid.empty() ? 0 : grid.front().cpi.size());
  const std::vector<OccupancyPoint> all = by_warps(grid, {});
  const std::size_t ridge = ridge_index(all, fastest(all));
  return {ridge == 0 ? 0 : all[ridge - 1].warps, all[ridge].warps};
}

}  // namespace tomograph::analysis
