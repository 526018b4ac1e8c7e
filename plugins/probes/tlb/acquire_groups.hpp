#ifndef TOMOGRAPH_TLB_ACQUIRE_GROUPS_HPP
#define TOMOGRAPH_TLB_ACQUIRE_GROUPS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "acquire_sets.hpp"

/// Finds groups of conflicting pages by walks.
namespace tomograph::tlb {

/// Random pages of the memory, as many as any search here needs.
[[nodiscard]] std::vector<std::int64_t> shuffled_pages(const Memory& memory, const Organisation& known,
                                                       std::uint64_t seed);

[[nodiscard]] std::vector<std::int64_t> first(const std::vector<std::int64_t>& pages, std::int64_t count);

/// Random pages of which a few miss: in a small level at least one, in a large one enough for several sets. Empty if no
/// number of pages gives that.
[[nodiscard]] Draw draw_with_few_missing(const Memory& memory, const Organisation& known, std::uint64_t seed);

/// Of pages that miss, the groups that begin to fit when any one of their pages is left out; not more than are enough.
/// Of a large level, `confirmations` pages of each group are tested. Nothing if more groups are refuted than confirmed:
/// a buffer beside the sets then keeps some pages, and the groups are no sets.
[[nodiscard]] std::vector<Group> split_into_groups(const Memory& memory, const Organisation& known, const Draw& draw,
                                                   std::size_t confirmations);

/// Adds pages one by one until the sets that they complete account for all entries.
[[nodiscard]] std::vector<Group> groups_by_growth(const Memory& memory, const Organisation& known, std::uint64_t seed);

/// Groups that are enough for a decision. Chosen by hand.
inline constexpr std::size_t enough_groups = 8;

}  // namespace tomograph::tlb

#endif
