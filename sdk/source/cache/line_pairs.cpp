#include "line_pairs.hpp"

#include <algorithm>
#include <cmath>

#include "tomograph/analysis/latency_modes.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::cache {

namespace {

/// Pairs by what was seen of their blocks: the latencies of first loads that missed.
struct Misses {
  std::vector<double> of_first_alone;
  std::vector<double> of_both;
  std::int64_t of_second_alone = 0;

  /// Whether most first loads that missed alone were hits that took longer, since they missed a TLB as well: they take
  /// less than nearly all other misses.
  [[nodiscard]] bool are_late_hits() const {
    // The median of 40 lies below the lowest tenth of 40 others of the same kind with probability 9e-5.
    constexpr std::size_t enough = 40;
    constexpr double lowest = 0.1;
    return of_first_alone.size() >= enough && of_both.size() >= enough &&
           analysis::median(of_first_alone) < analysis::quantile(of_both, lowest);
  }
  [[nodiscard]] std::int64_t apart() const {
    return are_late_hits() ? 2 * of_second_alone : std::ssize(of_first_alone) + of_second_alone;
  }
};

/// So fine that hits and misses make two modes at least, however short they are.
analysis::ModeResolution resolution_of(const std::vector<double>& latencies, double threshold) {
  // Hits and misses may each scatter by as much as lies between clusters.
  constexpr double between_medians = 3 * analysis::cluster_gap;
  std::vector<double> hits;
  std::vector<double> misses;
  for (const double cycles : latencies) (cycles <= threshold ? hits : misses).push_back(cycles);
  analysis::ModeResolution resolution;
  if (hits.empty() || misses.empty()) return resolution;
  const double apart = analysis::median(misses) - analysis::median(hits);
  resolution.absolute = std::min(resolution.absolute, apart / between_medians);
  return resolution;
}

/// Loads that the threshold may misread, since it cuts a mode of the latencies: those on the side with fewer.
std::int64_t cut_off(const std::vector<double>& latencies, double threshold) {
  std::int64_t cut = 0;
  for (const analysis::Mode& mode : analysis::modes(latencies, resolution_of(latencies, threshold))) {
    if (threshold < mode.low || mode.high < threshold) continue;
    const auto up_to = [&](double most) {
      return std::ranges::count_if(latencies, [&](double cycles) { return mode.low <= cycles && cycles <= most; });
    };
    const auto hits = up_to(threshold);
    cut += std::min(hits, up_to(mode.high) - hits);
  }
  return cut;
}

}  // namespace

chase::Ring both_blocks(std::span<const Pair> pairs) {
  chase::Ring tested{.array = 0};
  for (const Pair& pair : pairs) {
    tested.nodes.push_back(pair.first + sample_offset);
    tested.nodes.push_back((pair.first ^ pair.distance) + sample_offset);
  }
  return tested;
}

PairCount count_pairs(const Subject& subject, std::span<const chase::Result> results, std::int64_t distance,
                      std::size_t trace) {
  PairCount count{.distance = distance};
  Misses misses;
  std::vector<double> second_loads;
  for (const chase::Result& result : results) {
    const auto& latency = result.traces[trace].latency;
    for (std::size_t i = 0; i + 1 < latency.size(); i += 2) {
      if (std::min(latency[i], latency[i + 1]) - result.overhead_each <= subject.before) continue;
      const bool first = is_hit(subject, result, latency[i]);
      const bool second = is_hit(subject, result, latency[i + 1]);
      ++count.pairs;
      second_loads.push_back(latency[i + 1] - result.overhead_each);
      if (!first) (second ? misses.of_first_alone : misses.of_both).push_back(latency[i]);
      misses.of_second_alone += first && !second ? 1 : 0;
      count.evicted += first ? 0 : 1;
    }
  }
  count.apart = misses.apart();
  count.unclear = cut_off(second_loads, subject.threshold.cycles);
  return count;
}

double evicted_share(const PairCount& count) {
  if (count.pairs == 0) return 0;
  return static_cast<double>(count.evicted) / static_cast<double>(count.pairs);
}

std::optional<std::int64_t> first_apart(const Subject& subject, std::span<const PairCount> pairs) {
  const double misread = 2 * (subject.threshold.false_hit + subject.threshold.false_miss);
  for (const PairCount& count : pairs) {
    const double evicted = evicted_share(count);
    const double expected = 2 * evicted * (1 - evicted);
    // Too few evictions to be told from misread loads. Of 2560 pairs, 19 more must be apart than are misread: once in
    // 3,000 times if one in 100 is.
    if (expected < 0.05) continue;
    const double apart = static_cast<double>(count.apart) / static_cast<double>(count.pairs);
    constexpr double clearly_apart = 0.15;  // chosen by hand
    if (apart > misread + clearly_apart * expected) return count.distance;
  }
  return std::nullopt;
}

bool Line::is_unclear() const {
  const auto here = std::ranges::find(pairs, *bytes, &PairCount::distance);
  return here != pairs.end() && here->apart <= 2 * here->unclear;
}

std::optional<std::int64_t> Line::farther_together(std::int64_t capacity) const {
  constexpr std::int64_t most_ways = 64;  // of any known cache of several sets
  // Independent evictions leave fewer apart once in 1e6 times (Poisson).
  constexpr double fewest_expected = 14;
  for (const PairCount& count : pairs) {
    const double evicted = evicted_share(count);
    const double expected = 2 * evicted * (1 - evicted) * static_cast<double>(count.pairs);
    if (most_ways * count.distance > capacity) break;
    if (count.distance > *bytes && expected >= fewest_expected && count.apart == 0) return count.distance;
  }
  return std::nullopt;
}

double chance_of_agreement(const Line& line) {
  const auto half = std::ranges::find(line.pairs, *line.bytes / 2, &PairCount::distance);
  if (half == line.pairs.end()) return 0;
  const double evicted = evicted_share(*half);
  return std::pow(1 - 2 * evicted * (1 - evicted), static_cast<double>(half->pairs));
}

}  // namespace tomograph::cache
