#ifndef TOMOGRAPH_CACHE_SHARING_ACQUIRE_EVICTION_HPP
#define TOMOGRAPH_CACHE_SHARING_ACQUIRE_EVICTION_HPP

#include <vector>

#include "analysis_effect.hpp"
#include "tomograph/cache/subject.hpp"

namespace tomograph::cache_sharing {

/// Who loads through a cache, and what is known about that cache.
struct CacheUser {
  cache::Subject subject;       ///< path, carve-out, SM and threshold
  std::int64_t warp = 0;        ///< of the CTA
  std::int64_t size = 0;        ///< bytes that its cache holds
  std::int64_t line_bytes = 0;  ///< lines of its cache
  std::int64_t room = 0;        ///< bytes of its memory space that a program may have
};

/// The owner loads lines into its cache, the rival walks lines of its own, and the owner's lines are tested for misses.
struct EvictionTest {
  CacheUser owner;
  CacheUser rival;
  std::int64_t fill_bytes = 0;  ///< what the owner loads
  std::int64_t walk_bytes = 0;  ///< what the rival walks, twice; at most its room
  /// A control: the rival loads one line as often, so that all but its footprint is the same.
  bool idle = false;
};

/// How many lines of the owner were tested, and how many had been evicted, for each test. Tests with the same seed use
/// the same lines. All programs run in one batch.
[[nodiscard]] std::vector<analysis::EventCount> count_evictions(const cache::Executor& execute,
                                                                std::span<const EvictionTest> tests,
                                                                std::uint64_t seed);

/// Bytes that the rival can walk: `wanted`, or as many as the room of both allows.
[[nodiscard]] std::int64_t common_walk(const CacheUser& owner, const CacheUser& rival, std::int64_t fill_bytes,
                                       std::int64_t wanted);

/// Hits of a reader in sectors that were loaded before, in other slots of the same sectors: by nobody but `beyond`,
/// which bypasses its cache; by the reader itself; by the loader.
struct FoundLines {
  analysis::EventCount nobody;
  analysis::EventCount own;
  analysis::EventCount loader;
};

/// Counts the hits of each pair of a loader and a reader. Both are on paths to global memory.
[[nodiscard]] std::vector<FoundLines> find_lines(const cache::Executor& execute,
                                                 std::span<const std::pair<CacheUser, CacheUser>> loader_and_reader,
                                                 chase::Path beyond, std::uint64_t seed);

}  // namespace tomograph::cache_sharing

#endif
