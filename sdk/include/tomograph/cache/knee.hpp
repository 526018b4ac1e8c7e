#ifndef TOMOGRAPH_CACHE_KNEE_HPP
#define TOMOGRAPH_CACHE_KNEE_HPP

#include <cstdint>

#include "tomograph/cache/subject.hpp"

namespace tomograph::cache {

/// Whether all sets are full where a contiguous footprint of `fitting_bytes` is the largest that fits: then the second
/// line of `line_bytes` beyond it overflows a set as the first one did, and twice as many lines miss. A set with fewer
/// ways than others overflows while those still take lines, and the cache holds more than fitted. True too where one
/// set takes all lines. Requires subject.threshold.
[[nodiscard]] bool sets_are_full(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                                 std::int64_t fitting_bytes);

}  // namespace tomograph::cache

#endif
