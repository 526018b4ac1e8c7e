#include "analysis_knee.hpp"
#include "tomograph/cache/knee.hpp"

namespace tomograph::cache {

bool sets_are_full(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                   std::int64_t fitting_bytes) {
  const std::int64_t lines = fitting_bytes / line_bytes;
  // A set that lacks a way misses twice in a walk if victims are random, 128 times in all. This exceeds 101, four
  // deviations of the difference, in 86 % of such caches. Under LRU all lines of the set miss, which is always seen.
  constexpr std::int64_t repeats = 64;
  std::vector<Footprint> footprints;
  for (const std::int64_t more : {1, 2}) {
    footprints.push_back({.ring = {0, 0, line_bytes, lines + more},
                          .bytes = (lines + more) * line_bytes,
                          .samples = lines + more,
                          .repeats = repeats,
                          .share = 1});
  }
  const auto seen = retained(execute, subject, footprints);
  return overflows_evenly(seen[0], seen[1]);
}

}  // namespace tomograph::cache
