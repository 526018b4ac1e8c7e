#include "analysis_latency.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <stdexcept>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::tma {

namespace {

/// Share of the copies that count as undisturbed: other traffic can only delay copies. Six runs on two H200s agreed
/// within 1.8 % about every tile.
constexpr double undisturbed_share = 0.3;
/// A tile is small if it takes less than this factor longer than the smallest. Chosen on an H200, where runs agree
/// within 1.8 %.
constexpr double small_tile_factor = 1.1;
/// Resolution of the latency of small tiles, as a share. Chosen on an H200.
constexpr double resolution = 0.01;
/// Share by which the TMA may be slower than threads and still win: so little makes no difference to a program. Runs
/// differ by 1.8 %, and on an H100 and an H200 it is 1.9 to 3.4 % slower with the largest tile.
constexpr double tie = 0.05;

/// Polls that ended at the same time, and those among them that found their copy done.
struct Found {
  double polls = 0;
  double done = 0;
};

/// By time. Empty if no poll came too early or none too late.
std::map<std::int64_t, Found> by_time(const LatencyAnswer& polls) {
  const auto open = std::ranges::count(polls.done, 0);
  std::map<std::int64_t, Found> found;
  if (open == 0 || open == std::ssize(polls.done)) return found;
  for (std::size_t i = 0; i < polls.cycles.size(); ++i) {
    Found& here = found[polls.cycles[i]];
    here.polls += 1;
    here.done += polls.done[i] != 0 ? 1 : 0;
  }
  return found;
}

/// The slopes between all pairs of points, per KiB.
std::vector<double> slopes_of(std::span<const ByTile> points) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      slopes.push_back((points[j].value - points[i].value) * 1024 /
                       static_cast<double>(points[j].tile - points[i].tile));
    }
  }
  return slopes;
}

/// Reciprocals of latencies, so that higher is better.
std::vector<ByTile> speeds(std::vector<ByTile> latencies) {
  for (ByTile& one : latencies) one.value = 1 / one.value;
  return latencies;
}

}  // namespace

std::optional<double> mean_of_fastest(const LatencyAnswer& polls, double share) {
  std::optional<double> most;
  double integral = 0;
  double time = 0;
  double done = 0;
  for (const auto& [cycles, found] : by_time(polls)) {
    const auto now = static_cast<double>(cycles);
    const double done_now = found.done / found.polls;
    integral += (now - time) * (done + done_now) / 2;
    time = now;
    done = done_now;
    most = std::max(most.value_or(0), time - integral / share);
  }
  return most;
}

double mean_of_fastest(std::span<const double> times, double share) {
  if (times.empty()) throw std::invalid_argument("expected at least one time");
  std::vector<double> fastest(times.begin(), times.end());
  const auto wanted = static_cast<std::size_t>(std::ceil(share * static_cast<double>(fastest.size())));
  const std::size_t count = std::clamp<std::size_t>(wanted, 1, fastest.size());
  if (count < fastest.size()) std::ranges::nth_element(fastest, fastest.begin() + static_cast<std::ptrdiff_t>(count));
  fastest.resize(count);
  return std::accumulate(fastest.begin(), fastest.end(), 0.0) / static_cast<double>(count);
}

std::optional<LatencyFit> fit_latency(std::span<const ByTile> points) {
  if (points.empty()) return std::nullopt;
  std::vector<double> small;
  std::vector<ByTile> large;
  for (const ByTile& point : points) {
    if (point.value < small_tile_factor * points.front().value) {
      small.push_back(point.value);
    } else {
      large.push_back(point);
    }
  }
  if (large.size() < 3) return std::nullopt;
  const std::vector<double> slopes = slopes_of(large);
  const double fixed = mean_of_fastest(small, 1);
  const auto [low, high] = std::ranges::minmax(small);
  return LatencyFit{fixed,
                    analysis::median(slopes),
                    {low - resolution * fixed, high + resolution * fixed},
                    {analysis::quantile(slopes, 0.1), analysis::quantile(slopes, 0.9)}};
}

Latency latency_of(const LatencyRequest& request, const LatencyAnswer& answer) {
  if (needs_polling(request.method, request.direction)) {
    return {request, answer.cycles.size(), mean_of_fastest(answer, undisturbed_share), mean_of_fastest(answer, 1)};
  }
  const std::vector<double> times(answer.cycles.begin(), answer.cycles.end());
  return {request, times.size(), mean_of_fastest(times, undisturbed_share), mean_of_fastest(times, 1)};
}

std::optional<std::vector<ByTile>> latency_curve(std::span<const Latency> latencies, Method method,
                                                 Direction direction) {
  std::vector<ByTile> curve;
  for (const Latency& one : latencies) {
    if (method != one.request.method || direction != one.request.direction) continue;
    if (!one.undisturbed) return std::nullopt;
    curve.push_back({one.request.tile, *one.undisturbed});
  }
  return curve;
}

std::optional<std::int64_t> fastest_from(const std::vector<ByTile>& tma,
                                         const std::vector<std::vector<ByTile>>& threads) {
  std::vector<std::vector<ByTile>> others;
  for (const std::vector<ByTile>& one : threads) others.push_back(speeds(one));
  return winning_from(speeds(tma), others, tie);
}

}  // namespace tomograph::tma
