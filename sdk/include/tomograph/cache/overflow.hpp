#ifndef TOMOGRAPH_CACHE_OVERFLOW_HPP
#define TOMOGRAPH_CACHE_OVERFLOW_HPP

#include <optional>

#include "tomograph/cache/sets.hpp"

namespace tomograph::cache {

/// Sets of a level that is seen through a smaller one before it (Mei & Chu 2017, step 3 of the two-stage procedure,
/// line by line): a contiguous footprint of `fitting_bytes`, the largest one that fits, is walked together with one
/// line from beyond it. The lines that then miss share the set of that line, and their differences span the kernel of
/// the index. Every walk is so long that the level before forgets each line until the walk comes back to it.
///
/// Nothing if no line from beyond makes others miss, if what they make miss fits no XOR of address bits, or if some set
/// was not full. `search.capacity_lines` is not used.
[[nodiscard]] std::optional<Sets> sets_by_overflow(const Executor& execute, const Subject& subject,
                                                   const SetSearch& search, std::int64_t fitting_bytes);

}  // namespace tomograph::cache

#endif
