#ifndef TOMOGRAPH_SOURCE_CACHE_ALWAYS_MISSING_HPP
#define TOMOGRAPH_SOURCE_CACHE_ALWAYS_MISSING_HPP

#include <cstdint>
#include <span>

#include "tomograph/cache/replacement.hpp"

namespace tomograph::cache {

/// Tells apart the policies under which every load of an overflowing walk misses: LRU, FIFO, segmented LRU, tree-PLRU.
/// `groups` are not empty and have equally many ways.
[[nodiscard]] Replacement always_missing_policy(const Executor& execute, const Subject& subject,
                                                std::int64_t line_bytes, std::span<const ConflictGroup> groups,
                                                const Sets& sets);

/// LRU, FIFO or segmented LRU of a subject that touches lines twice. Its walks are those of LRU under all but FIFO, so
/// the lines that survive new ones tell segmented LRU, and that policy must predict visits in random order.
[[nodiscard]] Replacement touched_twice_policy(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                                               std::span<const ConflictGroup> groups, const Sets& sets);

}  // namespace tomograph::cache

#endif
