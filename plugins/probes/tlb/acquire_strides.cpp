#include "acquire_strides.hpp"

#include <algorithm>
#include <utility>

#include "acquire_fit.hpp"
#include "acquire_groups.hpp"
#include "tomograph/analysis/confidence.hpp"

namespace tomograph::tlb {

namespace {

/// `count` successive entries' pages that belong to none of these of `sets` sets.
std::vector<std::int64_t> pages_outside(const Organisation& known, std::int64_t sets,
                                        const std::vector<std::int64_t>& excluded, std::int64_t count) {
  std::vector<std::int64_t> pages;
  for (std::int64_t entry = 0; std::ssize(pages) < count; ++entry) {
    if (std::ranges::find(excluded, entry % sets) == excluded.end()) pages.push_back(entry * known.entry_span);
  }
  return pages;
}

/// Random pages of one set, one more than its share of the entries; empty if memory has hardly more. Each turn has
/// other pages.
Group pages_of_set(const Memory& memory, const Organisation& known, std::int64_t sets, std::int64_t set,
                   std::int64_t turn) {
  const std::int64_t pages = known.entries / sets + 1;
  const std::int64_t all = (memory.places(known.entry_span) - set) / sets;
  if (4 * all < 5 * pages) return {};
  Group group = cache::random_choice(all, pages, static_cast<std::uint64_t>(turn * sets + set));
  for (std::int64_t& page : group) page = (page * sets + set) * known.entry_span;
  std::ranges::sort(group);
  return group;
}

/// Whether the group less its last page fits, and the whole group does not. Pages of other sets evict it from the
/// levels before; half of the entries hold them.
bool fills_set(const Memory& memory, const Organisation& known, std::int64_t sets, std::int64_t set,
               const Group& group) {
  const auto others = pages_outside(known, sets, {set}, std::min(known.evicting_pages, known.entries / 2));
  const std::int64_t unit = memory.spread(known.entry_span);
  const Group fitting(group.begin(), group.end() - 1);
  return fits(memory, known.level, joined(fitting, others), unit) &&
         !fits(memory, known.level, joined(group, others), unit);
}

/// The tested sets, as many of which as leave half of the sets to other pages are siblings. Where the sets are few,
/// each is tested several times: of 32 random pages of two sets of 16 ways, one in seven draws has 16 of each, as if
/// they were one set.
std::optional<SetWays> tested_sets(const Memory& memory, const Organisation& known, std::int64_t sets) {
  const std::int64_t tested = std::min<std::int64_t>(sets, enough_groups);
  SetWays found;
  std::vector<std::int64_t> siblings;
  for (std::int64_t test = 0; std::cmp_less(test, enough_groups); ++test) {
    const std::int64_t set = test % tested * sets / tested;
    Group group = pages_of_set(memory, known, sets, set, test / tested);
    if (group.empty() || !fills_set(memory, known, sets, set, group)) return std::nullopt;
    found.groups.push_back(std::move(group));
    if (test < tested && 2 * std::ssize(siblings) < sets) siblings.push_back(set);
  }
  if (sets == 2) siblings.resize(1);
  found.siblings = siblings.size();
  found.others = pages_outside(known, sets, siblings, known.entries / 2);
  found.ways.assign(static_cast<std::size_t>(sets), known.entries / sets);
  found.confidence = confidence::tlb::sets_many_groups;
  found.method = "strides";
  return found;
}

}  // namespace

std::optional<SetWays> sets_by_strides(const Memory& memory, const Organisation& known) {
  for (std::int64_t sets = 2; 2 * sets <= known.entries; ++sets) {
    if (known.entries % sets != 0) continue;
    if (auto found = tested_sets(memory, known, sets)) return found;
  }
  return std::nullopt;
}

}  // namespace tomograph::tlb
