#include "analysis.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::tma {

namespace {

/// Of the looks that were over at the same time: how many there were, and how many found their copy done.
struct Found {
  double looks = 0;
  double done = 0;
};

/// By time. Empty if looks do not tell early from late.
std::map<std::int64_t, Found> by_time(const LatencyAnswer& looks) {
  const auto open = std::ranges::count(looks.done, 0);
  std::map<std::int64_t, Found> found;
  if (open == 0 || open == std::ssize(looks.done)) return found;
  for (std::size_t i = 0; i < looks.cycles.size(); ++i) {
    Found& here = found[looks.cycles[i]];
    here.looks += 1;
    here.done += looks.done[i] != 0 ? 1 : 0;
  }
  return found;
}

}  // namespace

std::optional<double> mean_of_fastest(const LatencyAnswer& looks, double share) {
  std::optional<double> most;
  double integral = 0;
  double time = 0;
  double done = 0;
  for (const auto& [cycles, found] : by_time(looks)) {
    const auto now = static_cast<double>(cycles);
    const double done_now = found.done / found.looks;
    integral += (now - time) * (done + done_now) / 2;
    time = now;
    done = done_now;
    most = std::max(most.value_or(0), time - integral / share);
  }
  return most;
}

double mean_of_fastest(std::span<const double> times, double share) {
  if (times.empty()) throw std::invalid_argument("the mean of no times");
  std::vector<double> sorted(times.begin(), times.end());
  std::ranges::sort(sorted);
  const auto count = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return analysis::trimmed_mean(std::span(sorted).first(std::clamp<std::size_t>(count, 1, sorted.size())), 0);
}

std::optional<LatencyFit> fit_latency(std::span<const ByTile> points) {
  if (points.empty()) return std::nullopt;
  const double least = points.front().value;
  std::vector<double> small;
  std::vector<ByTile> large;
  for (const ByTile& point : points) {
    if (point.value < 1.1 * least) {
      small.push_back(point.value);
    } else {
      large.push_back(point);
    }
  }
  if (large.size() < 3) return std::nullopt;
  std::vector<double> slopes;
  for (std::size_t i = 0; i < large.size(); ++i) {
    for (std::size_t j = i + 1; j < large.size(); ++j) {
      slopes.push_back((large[j].value - large[i].value) * 1024 / static_cast<double>(large[j].tile - large[i].tile));
    }
  }
  const double fixed = analysis::median(small);
  const auto [low, high] = std::ranges::minmax(small);
  return LatencyFit{fixed,
                    analysis::median(slopes),
                    {low - 0.01 * fixed, high + 0.01 * fixed},
                    {analysis::quantile(slopes, 0.1), analysis::quantile(slopes, 0.9)}};
}

std::optional<std::int64_t> winning_from(std::span<const ByTile> values, std::span<const std::vector<ByTile>> others,
                                         double tolerance) {
  std::optional<std::int64_t> from;
  for (std::size_t i = values.size(); i-- > 0;) {
    for (const auto& other : others) {
      if (values[i].value < other[i].value * (1 - tolerance)) return from;
    }
    from = values[i].tile;
  }
  return from;
}

std::int64_t saturating_tile(std::span<const ByTile> values, double share) {
  const double most = std::ranges::max(values, {}, &ByTile::value).value;
  return std::ranges::find_if(values, [&](const ByTile& one) { return one.value >= share * most; })->tile;
}

std::optional<double> reaching_tile(std::span<const ByTile> values, double level) {
  const auto above = std::ranges::find_if(values, [&](const ByTile& one) { return one.value >= level; });
  if (above == values.begin() || above == values.end()) return std::nullopt;
  const ByTile& below = *(above - 1);
  const double share = (level - below.value) / (above->value - below.value);
  return static_cast<double>(below.tile) + share * static_cast<double>(above->tile - below.tile);
}

double bytes_per_second(const ThroughputAnswer& answer) {
  return static_cast<double>(answer.ctas * answer.cta_bytes) / (1e-9 * answer.nanoseconds);
}

}  // namespace tomograph::tma
