#ifndef TOMOGRAPH_CACHE_FILL_HPP
#define TOMOGRAPH_CACHE_FILL_HPP

#include <map>
#include <optional>
#include <vector>

#include "tomograph/cache/subject.hpp"

namespace tomograph::cache {

/// Distances between the misses of first loads of neighbouring bytes.
struct Fill {
  std::vector<std::int64_t> distances;  ///< bytes from one miss to the next, one entry per pair of misses
  std::int64_t granularity = 0;         ///< fetch granularity in bytes: the most frequent distance
  std::size_t agreeing = 0;             ///< distances equal to it
  /// Net latencies of the hits so many bytes behind a miss.
  std::map<std::int64_t, std::vector<double>> hits_behind = {};

  /// Bytes behind a miss, ascending and below the granularity, where hits take clearly longer than elsewhere: a cache
  /// behind this one serves them, as one between L2 and memory that fetches more than L2 does. Then the distances are
  /// not those of this cache. `threshold` is the net latency from which on a load counts as a miss.
  [[nodiscard]] std::vector<std::int64_t> served_behind(double threshold) const;
};

/// Fill of a private cache: a first walk over neighbouring nodes of lines that only the next level holds. `beyond` is
/// as in private_hit_and_miss. Nothing if no walk missed twice.
[[nodiscard]] std::optional<Fill> private_fill(const Executor& execute, const Subject& subject, chase::Path beyond);

/// Fill of a private cache without a path that brings lines into the next level. All private levels start cold.
[[nodiscard]] std::optional<Fill> cold_fill(const Executor& execute, const Subject& subject);

/// Fill of a shared cache, after `flush_bytes` of other data went through it.
[[nodiscard]] std::optional<Fill> shared_fill(const Executor& execute, const Subject& subject,
                                              std::int64_t flush_bytes);

}  // namespace tomograph::cache

#endif
