#ifndef TOMOGRAPH_CACHE_HIT_AND_MISS_HPP
#define TOMOGRAPH_CACHE_HIT_AND_MISS_HPP

#include <optional>
#include <vector>

#include "tomograph/cache/subject.hpp"

namespace tomograph::cache {

/// Hit latency as seen from one SM: mean over many dependent loads timed in total, net.
struct SmLatency {
  std::int64_t sm = 0;
  double cycles = 0;
};

/// Single loads that should hit and single loads that should miss, and what separates them.
struct HitAndMiss {
  std::vector<double> hits;                      ///< net latency of each load
  std::vector<double> misses;                    ///< net latency of each load
  std::vector<SmLatency> by_sm;                  ///< hits timed in total, by SM
  double overhead_each = 0;                      ///< cycles subtracted from every single load
  double overhead_total = 0;                     ///< cycles subtracted from every total
  std::optional<analysis::Threshold> threshold;  ///< nothing: hits and misses look alike

  /// The cycles of by_sm.
  [[nodiscard]] std::vector<double> cycles_by_sm() const;
};

/// Bytes of a ring that any data cache holds at once.
inline constexpr std::int64_t small_footprint = 4096;

/// A private cache (L1): walks a small ring twice and times it again on each of `sm_count` SMs, against first loads of
/// lines that the next level holds (brought there by `beyond`, a path that bypasses the subject).
[[nodiscard]] HitAndMiss private_hit_and_miss(const Executor& execute, const Subject& subject, chase::Path beyond,
                                              std::int64_t sm_count);

/// A cache shared by SMs (L2): hits of each SM, against first loads after `flush_bytes` of other data went through it.
/// If that much says that the cache is large, each SM is alone when it loads, and the lines lie all over a page.
[[nodiscard]] HitAndMiss shared_hit_and_miss(const Executor& execute, const Subject& subject, std::int64_t flush_bytes,
                                             std::int64_t sm_count);

/// Adds an array of `bytes` and a phase that drags all of it through the subject with many threads. The stride is an
/// odd multiple of the smallest sector, so that every set is reached whatever bits index it.
void add_flush(chase::Program& program, const Subject& subject, std::int64_t bytes);

}  // namespace tomograph::cache

#endif
