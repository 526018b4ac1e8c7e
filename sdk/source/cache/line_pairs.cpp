#include "line_pairs.hpp"

#include <algorithm>
#include <cmath>

namespace tomograph::cache {

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
  PairCount count{distance, 0, 0, 0};
  for (const chase::Result& result : results) {
    const auto& latency = result.traces[trace].latency;
    for (std::size_t i = 0; i + 1 < latency.size(); i += 2) {
      if (std::min(latency[i], latency[i + 1]) - result.overhead_each <= subject.before) continue;
      const bool first = is_hit(subject, result, latency[i]);
      const bool second = is_hit(subject, result, latency[i + 1]);
      ++count.pairs;
      count.apart += first && !second ? 2 : 0;
      count.evicted += first ? 0 : 1;
    }
  }
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
    // Too few evictions to be told from misread loads. Of 2560 pairs, 27 more must be apart than are misread, which is
    // 13 first blocks: once in 3,000 times if one pair in 100 is.
    if (expected < 0.07) continue;
    const double apart = static_cast<double>(count.apart) / static_cast<double>(count.pairs);
    constexpr double clearly_apart = 0.15;  // chosen by hand
    if (apart > misread + clearly_apart * expected) return count.distance;
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
