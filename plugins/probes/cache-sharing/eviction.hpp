#ifndef TOMOGRAPH_CACHE_EVICTION_HPP
#define TOMOGRAPH_CACHE_EVICTION_HPP

#include <vector>

#include "analysis_effect.hpp"
#include "tomograph/cache/subject.hpp"

namespace tomograph::cache {

/// Somebody who loads through a cache.
struct Party {
  Subject subject;              ///< path, carve-out, SM and threshold
  std::int64_t warp = 0;        ///< of the CTA
  std::int64_t size = 0;        ///< bytes that its cache holds
  std::int64_t line_bytes = 0;  ///< lines of its cache
  std::int64_t room = 0;        ///< bytes of its memory space that a program may have
};

/// The owner brings lines into its cache, the rival walks lines of its own, and the owner's are tested for misses.
struct Contest {
  Party owner;
  Party rival;
  std::int64_t fill_bytes = 0;  ///< what the owner brings in
  std::int64_t walk_bytes = 0;  ///< what the rival walks, twice; at most its room
  /// The rival loads one line as often instead: whatever else its loads and the time that they take do is the same.
  bool idle = false;
};

/// How often lines of the owner were tested, and how often they had gone. Contests with the same seed test the same
/// lines. All programs run in one batch.
[[nodiscard]] std::vector<analysis::EventCount> contend(const Executor& execute, std::span<const Contest> contests,
                                                        std::uint64_t seed);

/// The walks of a contest, as many bytes as both can have.
[[nodiscard]] std::int64_t common_walk(const Party& owner, const Party& rival, std::int64_t fill_bytes,
                                       std::int64_t wanted);

/// The loader brings in lines, then the reader tests other slots of the very same sectors for hits. Both are on paths
/// to global memory. Counts hits of the reader: after nobody's loads but those through `beyond`, which bypasses its
/// cache; after its own; after the loader's.
struct Found {
  analysis::EventCount nobody;
  analysis::EventCount own;
  analysis::EventCount loader;
};
[[nodiscard]] std::vector<Found> find_lines(const Executor& execute,
                                            std::span<const std::pair<Party, Party>> loader_and_reader,
                                            chase::Path beyond, std::uint64_t seed);

}  // namespace tomograph::cache

#endif
