#ifndef TOMOGRAPH_CACHE_FILL_HPP
#define TOMOGRAPH_CACHE_FILL_HPP

#include <optional>
#include <vector>

#include "tomograph/cache/subject.hpp"

namespace tomograph::cache {

/// What first loads of neighbouring bytes show.
struct Fill {
  /// Bytes from one miss to the next in a first walk over neighbouring nodes, one entry for each pair of misses.
  std::vector<std::int64_t> distances;
  /// The fetch granularity: the most frequent distance.
  std::int64_t granularity = 0;
  std::size_t agreeing = 0;  ///< distances equal to it
};

/// First walk over neighbouring nodes of lines that only the next level holds. `beyond` as in private_hit_and_miss.
[[nodiscard]] std::optional<Fill> private_fill(const Executor& execute, const Subject& subject, chase::Path beyond);

/// The same where no path brings lines into the next level: every level that is private starts cold.
[[nodiscard]] std::optional<Fill> cold_fill(const Executor& execute, const Subject& subject);

/// The same for a shared cache after `flush_bytes` of other data went through it.
[[nodiscard]] std::optional<Fill> shared_fill(const Executor& execute, const Subject& subject,
                                              std::int64_t flush_bytes);

}  // namespace tomograph::cache

#endif
