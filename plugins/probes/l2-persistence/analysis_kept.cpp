#include "analysis_kept.hpp"

#include <algorithm>
#include <vector>

#include "tomograph/analysis/proportion.hpp"

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

std::optional<std::size_t> last_fitting(std::span<const Kept> curve) {
  for (std::size_t i = curve.size(); i-- > 0;) {
    if (curve[i].share() < fitting_share) continue;
    return i + 1 < curve.size() ? std::optional(i) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<Fit> largest_fit(std::span<const Kept> curve, double confidence) {
  const auto interval_of = [&](const Kept& one) { return analysis::wilson(one.kept, one.samples, confidence); };
  const auto too_large =
      std::ranges::find_if(curve, [&](const Kept& one) { return interval_of(one).high < fitting_share; });
  if (too_large == curve.end()) return std::nullopt;
  const auto up_to_it = curve.first(static_cast<std::size_t>(too_large - curve.begin()) + 1);
  const auto surely_fits = std::find_if(up_to_it.rbegin(), up_to_it.rend(),
                                        [&](const Kept& one) { return interval_of(one).low > fitting_share; });
  if (surely_fits == up_to_it.rend()) return std::nullopt;
  const std::size_t last = *last_fitting(up_to_it);
  const Kept& fits = curve[last];
  const Kept& next = curve[last + 1];
  const double part = (fits.share() - fitting_share) / (fits.share() - next.share());
  const double bytes = static_cast<double>(fits.bytes) + part * static_cast<double>(next.bytes - fits.bytes);
  return Fit{bytes, {static_cast<double>(surely_fits->bytes), static_cast<double>(too_large->bytes)}};
}

}  // namespace tomograph::l2_persistence
