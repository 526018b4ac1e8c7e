#include "analysis_requests.hpp"

#include <cstddef>

namespace tomograph::memory_requests {

namespace {

/// The mean of the population lies within 1.96 standard deviations of single values, but for 3 in 100,000 such samples.
constexpr std::size_t least_samples = 12;

bool is_imprecise(const analysis::Repeated& cycles) {
  return cycles.count < least_samples || cycles.relative_ci() > useful_ci * 2 / 3;
}

}  // namespace

std::vector<Occupancy> occupancies(std::int64_t most_warps) {
  const std::int64_t most = most_warps / warps_of_a_cta * warps_of_a_cta;
  std::vector<Occupancy> all;
  for (std::int64_t power = 1; power < most; power *= 2) all.push_back({power, 1});
  for (const std::int64_t ilp : {1, 2, 4, 8}) all.push_back({most, ilp});
  return all;
}

std::vector<analysis::OccupancyPoint> curve_of(std::span<const Point> points, std::int64_t element) {
  std::vector<analysis::OccupancyPoint> curve;
  for (const Point& point : points) {
    if (point.element == element) curve.push_back({point.occupancy.warps * point.occupancy.ilp, point.cycles});
  }
  return curve;
}

std::vector<Point*> imprecise(std::vector<Point>& points) {
  std::vector<Point*> found;
  for (const std::int64_t element : elements) {
    const analysis::Roofline roofline = analysis::roofline(curve_of(points, element));
    const double least = roofline.issue.mean * (1 + roofline.issue.relative_ci());
    for (Point& point : points) {
      if (point.element != element) continue;
      const analysis::Repeated cycles = analysis::repeated(point.cycles);
      const bool counts = cycles.mean == roofline.completion.mean || cycles.mean * (1 - cycles.relative_ci()) <= least;
      if (counts && is_imprecise(cycles)) found.push_back(&point);
    }
  }
  return found;
}

}  // namespace tomograph::memory_requests
