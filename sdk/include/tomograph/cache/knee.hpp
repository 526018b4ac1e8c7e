#ifndef TOMOGRAPH_CACHE_KNEE_HPP
#define TOMOGRAPH_CACHE_KNEE_HPP

#include <cstdint>

#include "tomograph/cache/subject.hpp"

namespace tomograph::cache {

/// Whether all sets are full at the largest contiguous footprint that fits, `fitting_bytes`. If not, the cache holds
/// more than that: a set with fewer ways overflows while others still take lines. Requires subject.threshold.
///
/// In full sets, the second line of `line_bytes` beyond the footprint overflows a set as the first one did, so twice as
/// many loads miss. True as well if one set takes all lines.
/// False alarms: random victims make the misses Poisson distributed; a cache of full sets fails with a probability of
/// 3e-5 (one-sided normal, 4 standard deviations).
[[nodiscard]] bool sets_are_full(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                                 std::int64_t fitting_bytes);

}  // namespace tomograph::cache

#endif
