#include "analysis_kept.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "tomograph/analysis/proportion.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::l2_persistence {

namespace {

std::vector<std::int64_t> sorted(std::span<const std::int64_t> values) {
  std::vector<std::int64_t> copy(values.begin(), values.end());
  std::ranges::sort(copy);
  return copy;
}

/// The share of `sorted` values that are larger than `limit`.
double share_above(const std::vector<std::int64_t>& sorted, double limit) {
  const auto above =
      std::ranges::upper_bound(sorted, limit, {}, [](std::int64_t one) { return static_cast<double>(one); });
  return static_cast<double>(sorted.end() - above) / static_cast<double>(sorted.size());
}

}  // namespace

std::optional<Threshold> threshold_between(std::span<const std::int64_t> hits, std::span<const std::int64_t> misses) {
  if (hits.empty() || misses.empty()) return std::nullopt;
  const auto slow_hits = sorted(hits);
  const auto fast_misses = sorted(misses);
  // A quantile of each, and the middle between them: hits scatter little, misses much.
  std::optional<Threshold> best;
  const std::size_t tries = std::min(slow_hits.size(), fast_misses.size()) / 4;
  for (std::size_t left_out = 0; left_out <= tries; ++left_out) {
    const auto hit = slow_hits[slow_hits.size() - 1 - left_out];
    const auto miss = fast_misses[left_out];
    const double cycles = static_cast<double>(hit + miss) / 2;
    const double misread = std::max(share_above(slow_hits, cycles), 1 - share_above(fast_misses, cycles));
    if (!best || misread < best->misread) best = Threshold{cycles, misread};
  }
  if (best->misread > most_misread) return std::nullopt;
  return best;
}

std::size_t count_hits(std::span<const std::int64_t> cycles, const Threshold& threshold) {
  return static_cast<std::size_t>(
      std::ranges::count_if(cycles, [&](std::int64_t one) { return static_cast<double>(one) <= threshold.cycles; }));
}

std::optional<Room> room_of(std::span<const Kept> curve, double confidence) {
  std::vector<double> kept;
  analysis::Interval interval{std::numeric_limits<double>::infinity(), 0};
  for (const Kept& one : curve) {
    if (one.share() >= saturated_share) continue;
    const auto bytes = static_cast<double>(one.bytes);
    const auto [low, high] = analysis::wilson(one.kept, one.samples, confidence);
    kept.push_back(one.share() * bytes);
    interval = {std::min(interval.low, low * bytes), std::max(interval.high, high * bytes)};
  }
  if (kept.empty()) return std::nullopt;
  return Room{analysis::median(kept), interval};
}

}  // namespace tomograph::l2_persistence
