#include "acquire_groups.hpp"

#include <algorithm>
#include <iterator>

#include "acquire_fit.hpp"
#include "analysis_misses.hpp"

namespace tomograph::tlb {

namespace {

/// Pages of a draw from a large level that must miss. Several sets then overflow, which the pages that a buffer before
/// or beside the level keeps beyond its sets (about fifty on an H200) cannot hide. Seen on an H200 only.
constexpr std::int64_t least_missing = 60;
constexpr std::int64_t most_missing = 120;

std::vector<std::vector<bool>> missing_of(const Memory& memory, const Organisation& known,
                                          const std::vector<std::vector<std::int64_t>>& rings, bool brief = false) {
  std::vector<Walk> walks;
  for (const auto& pages : rings) {
    walks.push_back(over(memory, known.level, pages, memory.spread(known.entry_span)));
    if (brief) walks.back().passes = 1;
  }
  std::vector<std::vector<bool>> result;
  for (const ExtraLatency& seen : extra_latency(memory, walks)) result.push_back(missing(seen, known.level));
  return result;
}

/// For each page that is left out: this page and, of the others that missed, those that fit without it.
std::vector<Group> groups_of(const Memory& memory, const Organisation& known, const Draw& draw,
                             const std::vector<std::int64_t>& left_out) {
  std::vector<std::vector<std::int64_t>> rings;
  for (const std::int64_t one : left_out) {
    auto& ring = rings.emplace_back();
    std::ranges::copy_if(draw.missing, std::back_inserter(ring), [&](std::int64_t page) { return page != one; });
    if (known.evicting_pages > 0) ring = joined(std::move(ring), draw.fitting);
  }
  // One pass is enough: a group that a delay spoils is not confirmed by its other pages.
  const bool brief = known.level.sharp() && known.entries > small_level;
  const auto missed = missing_of(memory, known, rings, brief);
  std::vector<Group> groups;
  for (std::size_t i = 0; i < left_out.size(); ++i) {
    Group& group = groups.emplace_back(Group{left_out[i]});
    for (std::size_t page = 0; page + 1 < draw.missing.size(); ++page) {
      if (!missed[i][page]) group.push_back(rings[i][page]);
    }
    std::ranges::sort(group);
  }
  return groups;
}

/// Whether leaving out other pages of the group gives the same group: delays give groups that only one page confirms.
/// Of a large level, `most` pages spread over the group are tested.
bool is_confirmed(const Memory& memory, const Organisation& known, const Draw& draw, const Group& group,
                  std::int64_t first, std::size_t most) {
  const Group others = without(group, {{first}});
  const std::size_t tested = known.entries > small_level ? std::min(most, others.size()) : others.size();
  std::vector<std::int64_t> left_out;
  for (std::size_t i = 0; i < tested; ++i) left_out.push_back(others[i * others.size() / tested]);
  const auto again = groups_of(memory, known, draw, left_out);
  return std::ranges::all_of(again, [&](const Group& one) { return one == group; });
}

}  // namespace

std::vector<std::int64_t> shuffled_pages(const Memory& memory, const Organisation& known, std::uint64_t seed) {
  const std::int64_t all = memory.places(known.entry_span);
  auto pages = cache::random_choice(all, std::min(all, 6 * known.entries + 6 * known.evicting_pages), seed);
  for (std::int64_t& page : pages) page *= known.entry_span;
  return pages;
}

std::vector<std::int64_t> first(const std::vector<std::int64_t>& pages, std::int64_t count) {
  return {pages.begin(), pages.begin() + count};
}

Draw draw_with_few_missing(const Memory& memory, const Organisation& known, std::uint64_t seed) {
  const auto pages = shuffled_pages(memory, known, seed);
  const auto most = static_cast<std::int64_t>(pages.size());
  std::int64_t low = 0;
  std::int64_t high = most;
  for (std::int64_t count = std::min(most, std::max(known.entries / 2, known.evicting_pages)); high - low > 1;) {
    const auto ring = first(pages, count);
    const auto missed = missing_of(memory, known, {ring}).front();
    const auto misses = std::ranges::count(missed, true);
    const std::int64_t least = known.entries > small_level ? least_missing : 1;
    if (misses >= least && misses <= std::min(most_missing, count / 2 + 1)) {
      std::vector<bool> kept = missed;
      kept.flip();
      return {selected(ring, missed), selected(ring, kept)};
    }
    (misses < least ? low : high) = count;
    count = high == most ? std::min(most, count + count / 4 + 1) : low + (high - low) / 2;
    if (count == high || count == low) break;
  }
  return {};
}

std::vector<Group> split_into_groups(const Memory& memory, const Organisation& known, const Draw& draw,
                                     std::size_t confirmations) {
  // Refuted groups that delays may cause. Chosen by hand.
  constexpr std::size_t tolerated = 2;
  std::vector<Group> groups;
  std::vector<std::int64_t> open = draw.missing;
  std::size_t refuted = 0;
  while (!open.empty() && groups.size() < enough_groups) {
    const std::int64_t page = open.front();
    const Group group = groups_of(memory, known, draw, {page}).front();
    const bool confirmed = group.size() > 1 && is_confirmed(memory, known, draw, group, page, confirmations);
    if (confirmed) groups.push_back(group);
    if (group.size() > 1 && !confirmed) ++refuted;
    if (known.entries > small_level && refuted > groups.size() + tolerated) return {};
    std::erase_if(
        open, [&](std::int64_t one) { return one == page || (confirmed && std::ranges::binary_search(group, one)); });
  }
  return groups;
}

std::vector<Group> groups_by_growth(const Memory& memory, const Organisation& known, std::uint64_t seed) {
  // Walks in a batch.
  constexpr std::int64_t at_a_time = 32;
  const auto pages = shuffled_pages(memory, known, seed);
  const auto most = static_cast<std::int64_t>(pages.size());
  std::vector<Group> groups;
  std::vector<std::int64_t> before;
  std::int64_t ways = 0;
  // Half of the evicting pages is still more than the levels before hold, and leaves few sets full from the start.
  for (std::int64_t next = std::max<std::int64_t>(2, known.evicting_pages / 2 + 1);
       next <= most && ways < known.entries;) {
    std::vector<std::vector<std::int64_t>> rings;
    for (; next <= most && std::ssize(rings) < at_a_time; ++next) rings.push_back(first(pages, next));
    const auto missed = missing_of(memory, known, rings);
    for (std::size_t i = 0; i < rings.size(); ++i) {
      const auto now = selected(rings[i], missed[i]);
      if (const auto set = completed_set(before, now)) {
        ways += ways_of(*set);
        groups.push_back(*set);
      }
      before = now;
    }
  }
  return groups;
}

}  // namespace tomograph::tlb
