#ifndef TOMOGRAPH_CACHE_LINE_HPP
#define TOMOGRAPH_CACHE_LINE_HPP

#include <optional>
#include <vector>

#include "tomograph/cache/subject.hpp"

namespace tomograph::cache {

/// Evictions of pairs of blocks at one distance, both in one aligned block of twice that distance.
struct PairCount {
  std::int64_t distance = 0;  ///< bytes
  std::int64_t pairs = 0;
  /// Pairs of which one block was retained and the other was not. Where first loads are late, since they miss a TLB and
  /// bring the translation for the second ones, twice those of which the first block was.
  std::int64_t apart = 0;
  std::int64_t evicted = 0;  ///< pairs whose first block was not retained
  /// Pairs whose second load the threshold may misread, since it cuts a mode of their latencies. (After the first load,
  /// none misses a TLB.)
  std::int64_t unclear = 0;
};

/// The line size: a line is evicted as a whole.
struct Line {
  std::optional<std::int64_t> bytes;  ///< nothing: no distance showed independent evictions
  std::vector<PairCount> pairs;       ///< by distance, ascending from the fetch granularity

  /// Whether loads that the threshold may misread, of either block of a pair, suffice to explain the pairs that are
  /// apart at `bytes`. Requires `bytes`.
  [[nodiscard]] bool is_unclear() const;
  /// A distance beyond `bytes` at which blocks were often evicted, and never apart, in a cache of about `capacity`
  /// bytes. Then nearer ones seem apart for another reason: a miss may have brought the second block before it was
  /// timed. Blocks so far apart that they may fall into one set do not count.
  [[nodiscard]] std::optional<std::int64_t> farther_together(std::int64_t capacity) const;
};

/// False-alarm rate of line.bytes: the probability that blocks half a line apart belong to different lines but were
/// evicted together every time. Independent evictions agree with probability 1 - 2 p (1 - p), where p is the share of
/// evicted blocks. Requires line.bytes.
[[nodiscard]] double chance_of_agreement(const Line& line);

/// Measures the line size up to `limit` bytes, for any index and policy: fills a region in random order, evicts about
/// half of it by lines at random places, and tests pairs of neighbouring blocks. Blocks of one line are always evicted
/// together, others independently. If neighbours do not tell (all of the region falls into few sets, or few lines were
/// evicted), pairs at random places are tested as well.
[[nodiscard]] Line evicted_together(const Executor& execute, const Subject& subject, std::int64_t granularity,
                                    std::int64_t capacity_bytes, std::int64_t limit = 512);

}  // namespace tomograph::cache

#endif
