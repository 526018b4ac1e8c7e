#ifndef TOMOGRAPH_SOURCE_CACHE_MINIMAL_GROUPS_HPP
#define TOMOGRAPH_SOURCE_CACHE_MINIMAL_GROUPS_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "tomograph/cache/sets.hpp"

namespace tomograph::cache {

/// Those groups whose lines all together overflow and all but any one of them fit.
[[nodiscard]] std::vector<ConflictGroup> minimal_groups(const Executor& execute, const Subject& subject,
                                                        std::int64_t line_bytes,
                                                        std::span<const std::vector<std::int64_t>> groups);

}  // namespace tomograph::cache

#endif
