#ifndef TOMOGRAPH_CACHE_ANALYSIS_SETS_HPP
#define TOMOGRAPH_CACHE_ANALYSIS_SETS_HPP

#include "tomograph/cache/sets.hpp"

namespace tomograph::cache {

/// Number of sets that the index or the modulus tells apart.
[[nodiscard]] std::size_t count_of(const Sets& sets);

/// Whether few of the groups have another number of ways than their set. Many of them mean that the index is wrong; a
/// few may come from misread loads.
[[nodiscard]] bool fits_groups(const Sets& sets, std::span<const ConflictGroup> groups, std::int64_t line_bytes);

}  // namespace tomograph::cache

#endif
