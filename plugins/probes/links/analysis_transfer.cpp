#include "analysis_transfer.hpp"

#include <algorithm>
#include <cmath>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/undisturbed.hpp"

namespace tomograph::links {

namespace {

/// Whether the largest transfer takes so many times as long as the smallest.
bool takes(double times_as_long, std::span<const SizePoint> points) {
  return points.back().undisturbed_seconds() >= times_as_long * points.front().undisturbed_seconds();
}

}  // namespace

analysis::Undisturbed SizePoint::undisturbed() const {
  return analysis::undisturbed(seconds, analysis::Faster::less, confidence::links::interval);
}

bool is_saturated(std::span<const SizePoint> points) {
  constexpr double times_as_long = 100;  // what is left of the latency is then 1 %
  constexpr double hardly = 0.03;  // times that begin and end with events of 5 us still change by 2 % after 250 us
  if (points.size() < 2 || !takes(times_as_long, points)) return false;
  const SizePoint& last = points.back();
  const SizePoint& before = points[points.size() - 2];
  if (std::abs(last.rate() / before.rate() - 1) <= hardly) return true;
  const auto [fastest, slowest] = std::ranges::minmax(last.seconds);
  const auto [fastest_before, slowest_before] = std::ranges::minmax(before.seconds);
  return last.bytes / slowest <= before.bytes / fastest_before && before.bytes / slowest_before <= last.bytes / fastest;
}

bool dwarfs_latency(std::span<const SizePoint> points) {
  constexpr double times_as_long = 1000;  // twice the size changes the rate by 0.05 %
  return takes(times_as_long, points);
}

bool fewer_are_as_fast(std::span<const double> seconds) {
  return std::ranges::min(seconds.first(seconds.size() - 1)) < (1 + least_gain) * seconds.back();
}

std::optional<TransferCost> fit_cost(std::span<const SizePoint> points) {
  if (points.size() < 3) return std::nullopt;
  // Normal equations of latency x (1/t) + inverse x (n/t) = 1.
  double aa = 0;
  double ab = 0;
  double bb = 0;
  double a = 0;
  double b = 0;
  for (const SizePoint& point : points) {
    const double time = point.undisturbed_seconds();
    const double x = 1 / time;
    const double y = point.bytes / time;
    aa += x * x;
    ab += x * y;
    bb += y * y;
    a += x;
    b += y;
  }
  const double determinant = aa * bb - ab * ab;
  const double inverse = (aa * b - ab * a) / determinant;
  if (!(determinant > 0) || !(inverse > 0)) return std::nullopt;
  TransferCost cost{.latency = (bb * a - ab * b) / determinant, .rate = 1 / inverse};
  for (const SizePoint& point : points) {
    const double expected = cost.latency + point.bytes / cost.rate;
    cost.error += std::pow(expected / point.undisturbed_seconds() - 1, 2) / static_cast<double>(points.size());
  }
  cost.error = std::sqrt(cost.error);
  return cost;
}

double peak_rate(std::span<const SizePoint> points) {
  double peak = 0;
  for (const SizePoint& point : points) peak = std::max(peak, point.rate());
  return peak;
}

std::optional<std::size_t> half_peak_point(std::span<const SizePoint> points) {
  const double half = peak_rate(points) / 2;
  const auto first = std::ranges::find_if(points, [half](const SizePoint& point) { return point.rate() >= half; });
  if (first == points.begin() || first == points.end()) return std::nullopt;
  return static_cast<std::size_t>(first - points.begin());
}

std::optional<analysis::Undisturbed> half_peak_size(std::span<const SizePoint> points) {
  const auto first = half_peak_point(points);
  if (!first) return std::nullopt;
  const double half_rate = peak_rate(points) / 2;
  const SizePoint& low = points[*first - 1];
  const SizePoint& high = points[*first];
  const auto one = low.undisturbed();
  const auto other = high.undisturbed();
  const auto size = [&](double seconds_of_low, double seconds_of_high) {
    // bytes / (latency + slope x bytes) = half of the peak rate
    const double slope = (seconds_of_high - seconds_of_low) / (high.bytes - low.bytes);
    const double latency = seconds_of_low - slope * low.bytes;
    if (half_rate * slope >= 1) return points.back().bytes;  // disturbed so much that no size reaches it
    return half_rate * latency / (1 - half_rate * slope);
  };
  return analysis::Undisturbed{.value = size(one.value, other.value),
                               .low = size(one.low, other.low),
                               .high = size(one.high, other.high),
                               .coverage = one.coverage + other.coverage - 1};
}

}  // namespace tomograph::links
