#ifndef TOMOGRAPH_CACHE_LINE_PAIRS_HPP
#define TOMOGRAPH_CACHE_LINE_PAIRS_HPP

#include <cstdint>
#include <optional>
#include <span>

#include "tomograph/cache/line.hpp"

namespace tomograph::cache {

struct Pair {
  std::int64_t first = 0;  ///< offset of one block; the other's differs in the bit of the distance
  std::int64_t distance = 0;
};

/// Nodes that time both blocks of each pair.
[[nodiscard]] chase::Ring both_blocks(std::span<const Pair> pairs);

/// Counts pairs at this distance in trace number `trace` of `results`.
[[nodiscard]] PairCount count_pairs(const Subject& subject, std::span<const chase::Result> results,
                                    std::int64_t distance, std::size_t trace = 0);

/// Of all pairs, the share whose first block was evicted.
[[nodiscard]] double evicted_share(const PairCount& count);

/// The smallest distance at which blocks are evicted independently. Blocks of one line are apart only if a load was
/// misread; blocks of two lines are apart about as often as chance says, 2 p (1 - p) for a share p of evicted blocks.
/// The boundary is a share of that above the rate of misread loads: lines that were loaded together are evicted apart
/// less often than chance says, but more often than this.
[[nodiscard]] std::optional<std::int64_t> first_apart(const Subject& subject, std::span<const PairCount> pairs);

/// Like evicted_together, with pairs at random places of the subject's region: for caches whose index puts neighbours
/// into few sets, so that they are evicted together because they were loaded together.
[[nodiscard]] Line scattered_line(const Executor& execute, const Subject& subject, std::int64_t granularity,
                                  std::int64_t limit);

}  // namespace tomograph::cache

#endif
