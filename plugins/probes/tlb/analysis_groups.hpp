#ifndef TOMOGRAPH_TLB_ANALYSIS_GROUPS_HPP
#define TOMOGRAPH_TLB_ANALYSIS_GROUPS_HPP

#include <cstdint>
#include <optional>
#include <vector>

/// Groups of pages that conflict with each other, and the sets that they stand for. Pure functions.
namespace tomograph::tlb {

/// Pages that share a set and are one too many for it.
using Group = std::vector<std::int64_t>;

/// A draw of random pages of which a few miss.
struct Draw {
  std::vector<std::int64_t> missing;
  std::vector<std::int64_t> fitting;
};

/// Levels of more entries are searched by sampling.
inline constexpr std::int64_t small_level = 256;

/// Ways of the set that a group fills: one less than its pages.
[[nodiscard]] std::int64_t ways_of(const Group& group);

/// The chosen ones of `pages`.
[[nodiscard]] std::vector<std::int64_t> selected(const std::vector<std::int64_t>& pages,
                                                 const std::vector<bool>& chosen);

[[nodiscard]] std::vector<std::int64_t> joined(std::vector<std::int64_t> a, const std::vector<std::int64_t>& b);

/// The pages that are in none of the groups, which must be ascending.
[[nodiscard]] std::vector<std::int64_t> without(std::vector<std::int64_t> pages, const std::vector<Group>& groups);

/// Removes groups that are two or more sets in one. Sets can seem to be one where a level before this one holds a page
/// of each as soon as one page is left out.
void drop_unions(std::vector<Group>& groups);

/// Takes the group that is the whole draw, in which all other pages fit as soon as one is left out. In a large level,
/// of which many pages miss, that is no set as long as smaller groups are found: a buffer beside the sets had one page
/// too many. Nothing for a small level.
[[nodiscard]] std::optional<Group> take_whole(std::int64_t entries, const Draw& draw, std::vector<Group>& groups);

/// Whether there are groups, all of one size, whose ways divide the entries.
[[nodiscard]] bool is_even(std::int64_t entries, const std::vector<Group>& groups);

/// The set that a walk completes when pages are added one by one: those that miss now and did not miss `before`.
/// Nothing if that is at most one page, which belongs to a set that overflowed already.
[[nodiscard]] std::optional<Group> completed_set(const std::vector<std::int64_t>& before,
                                                 const std::vector<std::int64_t>& now);

}  // namespace tomograph::tlb

#endif
