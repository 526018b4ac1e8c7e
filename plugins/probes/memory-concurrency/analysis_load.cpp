#include "analysis_load.hpp"

#include <algorithm>
#include <cmath>

#include "tomograph/analysis/confidence.hpp"

namespace tomograph::memory_concurrency {

namespace {

/// Rates within this share of each other are the same plateau.
constexpr double plateau = 0.95;
/// Numbers of misses that differ by less than this share are the same: several times the scatter of repeated runs.
constexpr double same = 0.9;
/// Points so near to the highest rate belong to the wall of the curve.
constexpr double wall = 0.99;
constexpr std::int64_t warp_lanes = 32;

std::vector<const Point*> by_offer(std::span<const Point> points) {
  std::vector<const Point*> sorted;
  for (const Point& point : points) sorted.push_back(&point);
  std::ranges::stable_sort(sorted, {}, [](const Point* point) { return point->offered(); });
  return sorted;
}

template <typename Value>
std::vector<double> values(const std::vector<Run>& runs, Value Run::*field) {
  std::vector<double> all;
  for (const Run& run : runs) all.push_back(run.*field);
  return all;
}

InFlight by_littles_law(std::span<const Point> points) {
  const Point& best = fastest(points);
  const Point& idle = idle_point(points, best);
  const auto rate = analysis::median_interval(best.rates(), confidence::median_interval);
  const auto latency = analysis::median_interval(idle.latencies(), confidence::median_interval);
  return {.misses = best.rate() * idle.latency(),
          .low = rate.low * latency.low,
          .high = rate.high * latency.high,
          .coverage = rate.coverage + latency.coverage - 1};
}

}  // namespace

std::int64_t Point::sectors() const {
  const std::int64_t bytes_of_block = std::max<std::int64_t>(warp_lanes / blocks * element, 1);
  const auto sector = static_cast<std::int64_t>(sector_bytes);
  return blocks * ((bytes_of_block + sector - 1) / sector);
}

std::vector<double> Point::rates() const { return values(runs, &Run::rate); }
std::vector<double> Point::latencies() const { return values(runs, &Run::latency); }

double Point::bytes_per_second() const {
  std::vector<double> rates;
  for (const Run& run : runs) rates.push_back(run.rate * sector_bytes * run.clock_hz);
  return analysis::median(rates);
}

const Point& fastest(std::span<const Point> points) { return *std::ranges::max_element(points, {}, &Point::rate); }

const Point& idle_point(std::span<const Point> points, const Point& best) {
  const Point* idle = &best;
  for (const Point& point : points) {
    if (point.blocks == best.blocks && point.element == best.element && point.warps < idle->warps) idle = &point;
  }
  return *idle;
}

bool is_saturated(std::span<const Point> points) {
  const Point& best = fastest(points);
  return std::ranges::any_of(points, [&](const Point& other) {
    const bool is_other_load = 2 * other.offered() <= best.offered() || other.offered() >= 2 * best.offered();
    return is_other_load && other.rate() >= plateau * best.rate();
  });
}

double possible_rise(std::span<const Point> points) {
  if (is_saturated(points)) return 0;
  const Point& best = fastest(points);
  double half = 0;
  for (const Point& other : points) {
    if (2 * other.offered() <= best.offered()) half = std::max(half, other.rate());
  }
  return best.rate() / half - 1;
}

std::vector<std::pair<double, double>> queueing_curve(std::span<const Point> points) {
  const double limit = wall * fastest(points).rate();
  std::vector<std::pair<double, double>> curve;
  std::size_t in_wall = 0;
  double highest = 0;
  for (const Point* point : by_offer(points)) {
    const bool is_wall = point->rate() >= limit;
    if (!is_wall && point->rate() < highest) continue;  // after the wall, or scatter
    highest = std::max(highest, point->rate());
    if (is_wall && ++in_wall > 2) curve.pop_back();
    curve.emplace_back(point->bytes_per_second(), point->latency());
  }
  return curve;
}

std::optional<double> queueing_knee(std::span<const std::pair<double, double>> curve) {
  if (curve.empty()) return std::nullopt;
  const double threshold = knee_latency * curve.front().second;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const auto& [load_before, latency_before] = curve[i - 1];
    const auto& [load, latency] = curve[i];
    if (latency_before >= threshold || latency < threshold) continue;
    return load_before + (load - load_before) * (threshold - latency_before) / (latency - latency_before);
  }
  return std::nullopt;
}

InFlight in_flight(std::span<const Point> far, std::span<const Point> near) {
  InFlight found = by_littles_law(far);
  const InFlight other = by_littles_law(near);
  const double ratio = found.misses / other.misses;
  found.is_limit = is_saturated(far) && is_saturated(near) && ratio > same && ratio < 1 / same;
  return found.is_limit || found.misses > other.misses ? found : other;
}

std::int64_t fetched_bytes(std::span<const double> latency, double hit, double miss) {
  const double middle = (hit + miss) / 2;
  const auto first_miss = std::ranges::find_if(latency, [&](double one) { return one >= middle; });
  return static_cast<std::int64_t>(sector_bytes) * (1 + (first_miss - latency.begin()));
}

}  // namespace tomograph::memory_concurrency
