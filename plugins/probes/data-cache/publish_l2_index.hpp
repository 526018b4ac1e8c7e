#ifndef TOMOGRAPH_DATA_CACHE_PUBLISH_L2_INDEX_HPP
#define TOMOGRAPH_DATA_CACHE_PUBLISH_L2_INDEX_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis_l2_index.hpp"
#include "analysis_quotient_index.hpp"
#include "tomograph/l2_lines.hpp"
#include "tomograph/session.hpp"

namespace tomograph::data_cache {

/// How many groups of sets its parities tell apart; 1 for a remainder.
[[nodiscard]] std::int64_t sets_told_apart(const PageIndex& index);

/// What was found of the index.
struct FoundIndex {
  std::optional<PageIndex> in_page = {};
  std::optional<QuotientIndex> of_quotient = {};
};

/// "l2.index", if there is one, from lines of `memory` that share a set, by set and ascending. `sets` is the number of
/// all sets, if it is known.
void publish_l2_index(const Session& session, const l2_lines::Memory& memory,
                      std::span<const std::vector<std::int64_t>> lines, const FoundIndex& found,
                      std::optional<std::int64_t> sets);

}  // namespace tomograph::data_cache

#endif
