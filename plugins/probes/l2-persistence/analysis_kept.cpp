#include "analysis_kept.hpp"

#include <algorithm>
#include <limits>

#include "tomograph/analysis/proportion.hpp"

namespace tomograph::l2_persistence {

namespace {

/// The share of hits, where this share of loads looks like hits.
double corrected(double share, const analysis::Threshold& threshold) {
  const double told_apart = 1 - threshold.false_hit - threshold.false_miss;
  return std::clamp((share - threshold.false_hit) / told_apart, 0.0, 1.0);
}

}  // namespace

Kept kept_of(std::int64_t bytes, std::span<const double> cycles, const analysis::Threshold& threshold,
             double confidence) {
  const auto hits =
      static_cast<std::size_t>(std::ranges::count_if(cycles, [&](double one) { return one <= threshold.cycles; }));
  const auto [low, high] = analysis::wilson(hits, cycles.size(), confidence);
  const double share = static_cast<double>(hits) / static_cast<double>(cycles.size());
  return {bytes, corrected(share, threshold), {corrected(low, threshold), corrected(high, threshold)}, cycles.size()};
}

std::optional<Room> room_of(std::span<const Kept> curve) {
  double shares = 0;
  double shares_of_a_byte = 0;
  analysis::Interval interval{std::numeric_limits<double>::infinity(), 0};
  for (const Kept& one : curve) {
    if (one.share >= saturated_share) continue;
    const auto bytes = static_cast<double>(one.bytes);
    shares += one.share;
    shares_of_a_byte += 1 / bytes;
    interval = {std::min(interval.low, one.interval.low * bytes), std::max(interval.high, one.interval.high * bytes)};
  }
  if (shares_of_a_byte == 0) return std::nullopt;
  return Room{shares / shares_of_a_byte, interval};
}

}  // namespace tomograph::l2_persistence
