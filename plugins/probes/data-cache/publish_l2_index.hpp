#ifndef TOMOGRAPH_DATA_CACHE_PUBLISH_L2_INDEX_HPP
#define TOMOGRAPH_DATA_CACHE_PUBLISH_L2_INDEX_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tomograph/l2_lines.hpp"
#include "tomograph/session.hpp"

namespace tomograph::data_cache {

/// "l2.index", from lines of `memory` that share a set, by set and ascending. `sets` is the number of all sets, if it
/// is known.
void publish_l2_index(const Session& session, const l2_lines::Memory& memory,
                      std::span<const std::vector<std::int64_t>> lines, std::optional<std::int64_t> sets);

}  // namespace tomograph::data_cache

#endif
