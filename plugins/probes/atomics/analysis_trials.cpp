#include "analysis_trials.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "settings.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::atomics {

namespace {

/// What the longer run of each CTA took longer. Nothing if one did not.
std::optional<std::vector<double>> differences(const TimesAnswer& answer) {
  std::vector<double> more;
  for (std::size_t i = 0; i < answer.few.size(); ++i) {
    if (answer.few[i] < 0 || answer.many[i] <= answer.few[i]) return std::nullopt;
    more.push_back(static_cast<double>(answer.many[i] - answer.few[i]));
  }
  return more;
}

/// Laps of the longer run beyond those of the shorter one.
double more_laps(std::int64_t laps) { return static_cast<double>((longer - 1) * laps); }

double range_of(std::span<const double> sorted) { return sorted.back() - sorted.front(); }

/// More trials that are as noisy have a wider range.
bool agree(std::span<const double> sorted) {
  constexpr double growth = 0.36;  // the range of n normal trials grows as n^0.36 from 5 to 17 (Tippett 1925)
  const double wider =
      std::pow(std::max(1.0, static_cast<double>(sorted.size()) / static_cast<double>(trials)), growth);
  return range_of(sorted) <= useful * wider * analysis::median(sorted);
}

/// The most neighbours that agree, and of as many those of the smallest range.
std::span<const double> most_that_agree(std::span<const double> sorted) {
  for (std::size_t count = sorted.size(); count > 1; --count) {
    auto best = sorted.first(count);
    for (std::size_t first = 1; first + count <= sorted.size(); ++first) {
      const auto other = sorted.subspan(first, count);
      if (range_of(other) < range_of(best)) best = other;
    }
    if (agree(best)) return best;
  }
  return sorted.first(1);
}

/// Without a quarter at either end: as steady as a mean where trials scatter, and as a median where one is disturbed.
double mean_of_middle_half(std::span<const double> sorted) {
  const std::size_t quarter = (sorted.size() + 1) / 4;
  const auto middle = sorted.subspan(quarter, sorted.size() - 2 * quarter);
  return std::accumulate(middle.begin(), middle.end(), 0.0) / static_cast<double>(middle.size());
}

/// A rate that rises with the warps doubles with them. One that has reached nine tenths of its roof with half of the
/// warps rises by at most a tenth.
bool is_saturated(double with_half, double best) { return with_half >= (1 - useful) * best; }

std::int64_t warps_of(const Point& point) { return point.setting.warps; }

}  // namespace

std::optional<std::vector<double>> chain_cycles(const LatencyRequest& request, const TimesAnswer& answer) {
  auto cycles = differences(answer);
  if (!cycles) return std::nullopt;
  for (double& one : *cycles) one /= more_laps(request.laps) * static_cast<double>(chain_of_lap);
  return cycles;
}

std::optional<double> rate_of(const ThroughputRequest& request, const TimesAnswer& answer) {
  const auto cycles = differences(answer);
  if (!cycles) return std::nullopt;
  const double of_an_sm = more_laps(request.laps) * static_cast<double>(request.warps * warp_lanes * atomics_of_lap);
  if (request.space == Space::shared || request.alone) return of_an_sm / analysis::median(*cycles);
  const double longest =
      static_cast<double>(std::ranges::max(answer.many)) - static_cast<double>(std::ranges::max(answer.few));
  return longest > 0 ? std::optional(of_an_sm * static_cast<double>(cycles->size()) / longest) : std::nullopt;
}

std::optional<Estimate> estimate_of(std::span<const double> values, std::size_t trials) {
  if (values.empty()) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const auto counted = most_that_agree(sorted);
  if (2 * counted.size() <= trials) return std::nullopt;
  const double value = mean_of_middle_half(counted);
  const double margin = range_of(counted) + resolution * value;
  return Estimate{value, {counted.front() - margin, counted.back() + margin}, counted.size()};
}

std::optional<Latency> latency_of(std::span<const std::vector<double>> valid, std::size_t trials) {
  std::vector<double> medians;
  for (const auto& by_sm : valid) medians.push_back(analysis::median(by_sm));
  const auto median = estimate_of(medians, trials);
  if (!median) return std::nullopt;
  Latency latency{*median, {}};
  for (std::size_t sm = 0; sm < valid.front().size(); ++sm) {
    std::vector<double> of_sm;
    for (const auto& by_sm : valid) of_sm.push_back(by_sm.at(sm));
    latency.by_sm.push_back(analysis::median(of_sm));
  }
  return latency;
}

double Point::mostly_reached() const { return analysis::quantile(rates, 0.25); }

std::optional<Fastest> fastest(std::span<const Point> points) {
  if (points.empty()) return std::nullopt;
  if (std::ranges::any_of(points, [](const Point& point) { return point.rates.empty(); })) return std::nullopt;
  const double highest = std::ranges::max_element(points, {}, &Point::mostly_reached)->mostly_reached();
  const auto is_nearly_highest = [&](const Point& point) { return is_saturated(point.mostly_reached(), highest); };
  std::vector<Point> plateau;
  std::ranges::copy_if(points, std::back_inserter(plateau), is_nearly_highest);
  std::ranges::sort(plateau, {}, warps_of);
  const std::int64_t most_warps = warps_of(*std::ranges::max_element(points, {}, warps_of));
  const auto rate = plateau.back().estimate();
  if (!rate) return std::nullopt;
  return Fastest{*rate, warps_of(plateau.back()), 2 * warps_of(plateau.front()) > most_warps};
}

}  // namespace tomograph::atomics
