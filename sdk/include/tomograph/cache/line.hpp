#ifndef TOMOGRAPH_CACHE_LINE_HPP
#define TOMOGRAPH_CACHE_LINE_HPP

#include <optional>
#include <vector>

#include "tomograph/cache/subject.hpp"

namespace tomograph::cache {

/// How often two blocks a given distance apart, in one aligned block of twice that, were found to be evicted apart.
struct PairCount {
  std::int64_t distance = 0;  ///< bytes
  std::int64_t pairs = 0;
  std::int64_t apart = 0;    ///< one was retained, the other not
  std::int64_t evicted = 0;  ///< of all pairs, those whose first block was not retained
};

/// The line is what is evicted as a whole.
struct Line {
  std::optional<std::int64_t> bytes;  ///< nothing: no distance showed independent evictions
  std::vector<PairCount> pairs;       ///< by distance, ascending from the fetch granularity
};

/// Probability that blocks half a line apart belong to different lines and were evicted together all the same, every
/// time: independent evictions agree with probability 1 - 2 p (1 - p). Requires line.bytes.
[[nodiscard]] double chance_of_agreement(const Line& line);

/// Fills a region in random order, evicts about half of it by lines at random places, and tests pairs of neighbouring
/// blocks: those of one line are always evicted together, others independently. Works for any index and policy. Where
/// that does not tell, since all of the region falls into few sets or few lines were evicted, more pairs at random
/// places are tested.
[[nodiscard]] Line evicted_together(const Executor& execute, const Subject& subject, std::int64_t granularity,
                                    std::int64_t capacity_bytes, std::int64_t limit = 512);

}  // namespace tomograph::cache

#endif
