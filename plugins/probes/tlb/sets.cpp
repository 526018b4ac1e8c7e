#include "sets.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <random>

#include "reach.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/proportion.hpp"

namespace tomograph::tlb {

namespace {

constexpr std::size_t enough_groups = 8;
constexpr std::int64_t small_level = 256;
/// Of a large level, so many pages shall miss that several sets overflow: what lies before or beside it may keep some
/// pages more than the sets hold (an H200 about fifty), and must not keep all that are left when one is taken away.
constexpr std::int64_t least_missing = 60;
constexpr std::int64_t most_missing = 120;

std::int64_t unit_of(const Organisation& known) { return spread(known.entry_span); }

std::int64_t places(const Memory& memory, const Organisation& known) {
  return (memory.bytes - unit_of(known)) / known.entry_span;
}

std::vector<std::int64_t> shuffled_pages(const Memory& memory, const Organisation& known, std::uint64_t seed) {
  const std::int64_t all = places(memory, known);
  auto pages = cache::random_choice(all, std::min(all, 6 * known.entries + 6 * known.fillers), seed);
  for (std::int64_t& page : pages) page *= known.entry_span;
  return pages;
}

std::vector<std::int64_t> first(const std::vector<std::int64_t>& pages, std::int64_t count) {
  return {pages.begin(), pages.begin() + count};
}

std::vector<std::vector<bool>> missing_of(const Memory& memory, const Organisation& known,
                                          const std::vector<std::vector<std::int64_t>>& rings, bool brief = false) {
  std::vector<Walk> walks;
  for (const auto& pages : rings) {
    walks.push_back(over(memory, known.level, pages, unit_of(known)));
    if (brief) walks.back().passes = 1;
  }
  std::vector<std::vector<bool>> result;
  for (const ExtraLatency& seen : extra_latency(memory, walks)) result.push_back(missing(seen, known.level));
  return result;
}

std::vector<std::int64_t> selected(const std::vector<std::int64_t>& pages, const std::vector<bool>& chosen) {
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (chosen[i]) result.push_back(pages[i]);
  }
  return result;
}

std::vector<std::int64_t> joined(std::vector<std::int64_t> a, const std::vector<std::int64_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Whether pages as many as there are entries fit, wherever they lie.
bool fully_associative(const Memory& memory, const Organisation& known) {
  constexpr int draws = 8;
  constexpr int demanded = draws - 2;  // noise may let some seem to miss
  int fitting = 0;
  for (int draw = 0; draw < draws && fitting + draws - draw >= demanded; ++draw) {
    const auto pages = shuffled_pages(memory, known, 100 + static_cast<std::uint64_t>(draw));
    fitting += fits(memory, known.level, first(pages, known.entries), unit_of(known)) ? 1 : 0;
  }
  return fitting >= demanded;
}

/// A draw of random pages of which a few miss.
struct Draw {
  std::vector<std::int64_t> missing;
  std::vector<std::int64_t> fitting;
};

Draw draw_with_few_missing(const Memory& memory, const Organisation& known, std::uint64_t seed) {
  const auto pages = shuffled_pages(memory, known, seed);
  const auto most = static_cast<std::int64_t>(pages.size());
  std::int64_t low = 0;
  std::int64_t high = most;
  for (std::int64_t count = std::min(most, std::max(known.entries / 2, known.fillers)); high - low > 1;) {
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

/// Of pages that miss, those which fit as soon as this one is left out, and this one.
Group group_of(const Memory& memory, const Organisation& known, const Draw& draw, std::int64_t left_out) {
  std::vector<std::int64_t> ring;
  std::ranges::copy_if(draw.missing, std::back_inserter(ring), [&](std::int64_t page) { return page != left_out; });
  const std::size_t others = ring.size();
  if (known.fillers > 0) ring = joined(std::move(ring), draw.fitting);
  // One look at each page is enough: what a stray delay spoils is not named by the pages of a group alike.
  const bool brief = known.level.sharp() && known.entries > small_level;
  const auto missed = missing_of(memory, known, {ring}, brief).front();
  Group group{left_out};
  for (std::size_t page = 0; page < others; ++page) {
    if (!missed[page]) group.push_back(ring[page]);
  }
  std::ranges::sort(group);
  return group;
}

/// The pages that are in none of the groups.
std::vector<std::int64_t> without(std::vector<std::int64_t> pages, const std::vector<Group>& groups) {
  std::erase_if(pages, [&](std::int64_t page) {
    return std::ranges::any_of(groups, [&](const Group& group) { return std::ranges::binary_search(group, page); });
  });
  return pages;
}

/// Whether other pages of the group name it, too: stray misses give groups that only one page stands for. Of a large
/// level, `most` pages from all over the group are asked.
bool is_confirmed(const Memory& memory, const Organisation& known, const Draw& draw, const Group& group,
                  std::int64_t first, std::size_t most) {
  const Group others = without(group, {{first}});
  const std::size_t witnesses = known.entries > small_level ? std::min(most, others.size()) : others.size();
  for (std::size_t i = 0; i < witnesses; ++i) {
    if (group_of(memory, known, draw, others[i * others.size() / witnesses]) != group) return false;
  }
  return true;
}

/// Of pages that miss, the groups that come apart when any one of their pages is left out; not more than are enough.
/// None if more are refuted than confirmed: then something beside the sets keeps one page or another, and what comes
/// apart is no set.
std::vector<Group> take_apart(const Memory& memory, const Organisation& known, const Draw& draw,
                              std::size_t witnesses) {
  constexpr std::size_t tolerated = 2;
  std::vector<Group> groups;
  std::vector<std::int64_t> open = draw.missing;
  std::size_t refuted = 0;
  while (!open.empty() && groups.size() < enough_groups) {
    const std::int64_t page = open.front();
    const Group group = group_of(memory, known, draw, page);
    const bool confirmed = group.size() > 1 && is_confirmed(memory, known, draw, group, page, witnesses);
    if (confirmed) groups.push_back(group);
    if (group.size() > 1 && !confirmed) ++refuted;
    if (known.entries > small_level && refuted > groups.size() + tolerated) return {};
    std::erase_if(
        open, [&](std::int64_t one) { return one == page || (confirmed && std::ranges::binary_search(group, one)); });
  }
  return groups;
}

std::int64_t ways_of(const Group& group) { return static_cast<std::int64_t>(group.size()) - 1; }

/// Adds pages one by one; those that begin to miss with a page are its set and one page too many. As far as it takes to
/// account for all entries.
std::vector<Group> grown(const Memory& memory, const Organisation& known, std::uint64_t seed) {
  constexpr std::int64_t at_a_time = 32;
  const auto pages = shuffled_pages(memory, known, seed);
  const auto most = static_cast<std::int64_t>(pages.size());
  std::vector<Group> groups;
  std::vector<std::int64_t> before;
  std::int64_t ways = 0;
  // Half of the fillers is still more than the levels before hold, and leaves few sets full from the start.
  for (std::int64_t next = std::max<std::int64_t>(2, known.fillers / 2 + 1); next <= most && ways < known.entries;) {
    std::vector<std::vector<std::int64_t>> rings;
    for (; next <= most && std::ssize(rings) < at_a_time; ++next) rings.push_back(first(pages, next));
    const auto missed = missing_of(memory, known, rings);
    for (std::size_t i = 0; i < rings.size(); ++i) {
      const auto now = selected(rings[i], missed[i]);
      Group fresh;
      std::ranges::copy_if(now, std::back_inserter(fresh),
                           [&](std::int64_t page) { return std::ranges::find(before, page) == before.end(); });
      // One page is a further one of a set that overflows already.
      if (fresh.size() > 1) {
        ways += ways_of(fresh);
        groups.push_back(fresh);
      }
      before = now;
    }
  }
  return groups;
}

bool alike(const std::vector<Group>& groups) {
  return std::ranges::all_of(groups, [&](const Group& group) { return group.size() == groups.front().size(); });
}

/// Two sets can come apart together, where a level before this one holds a page of each as soon as one is left out.
void drop_unions(std::vector<Group>& groups) {
  if (groups.empty()) return;
  const std::size_t smallest = std::ranges::min_element(groups, {}, &Group::size)->size();
  std::erase_if(groups, [&](const Group& group) { return group.size() > smallest && group.size() % smallest == 0; });
}

/// Takes away the group that is all of the draw, in which one page less makes all others fit. In a large level, of
/// which many pages miss, that is no set as long as others come apart: what lies beside the sets, and holds some
/// entries, had one too many.
std::optional<Group> take_whole(const Organisation& known, const Draw& draw, std::vector<Group>& groups) {
  const auto whole = std::ranges::find(groups, draw.missing.size(), &Group::size);
  if (known.entries <= small_level || whole == groups.end()) return std::nullopt;
  Group taken = std::move(*whole);
  groups.erase(whole);
  return taken;
}

/// One look for groups in random pages, and the next one if that did not settle the matter.
struct Search {
  std::uint64_t seed = 0;
  int draws = 0;
  std::size_t witnesses = 0;  ///< of each group of a large level
};
constexpr Search quick{.seed = 1, .draws = 8, .witnesses = 4};
constexpr Search thorough{.seed = 101, .draws = 16, .witnesses = 12};

void find_groups(const Memory& memory, const Organisation& known, const Search& search, SetWays& found) {
  std::size_t most_siblings = 1;
  std::optional<std::pair<Draw, Group>> whole;
  found.groups.clear();
  const auto add = [&](const Draw& pages, const std::vector<Group>& groups) {
    if (groups.size() < most_siblings) {
      found.groups.insert(found.groups.end(), groups.begin(), groups.end());
    } else {
      most_siblings = found.siblings = groups.size();
      found.others = joined(without(pages.missing, groups), pages.fitting);
      found.groups.insert(found.groups.begin(), groups.begin(), groups.end());
    }
  };
  for (int draw = 0; draw < search.draws && found.groups.size() < enough_groups; ++draw) {
    const Draw pages = draw_with_few_missing(memory, known, search.seed + static_cast<std::uint64_t>(draw));
    found.drawn.push_back(static_cast<double>(pages.missing.size() + pages.fitting.size()));
    found.drawn_missing.push_back(static_cast<double>(pages.missing.size()));
    if (pages.missing.size() < 2) continue;
    auto groups = take_apart(memory, known, pages, search.witnesses);
    if (auto all = take_whole(known, pages, groups)) whole = {pages, std::move(*all)};
    drop_unions(groups);
    if (!groups.empty()) add(pages, groups);
  }
  if (found.groups.empty() && whole) add(whole->first, {whole->second});
  drop_unions(found.groups);
}

/// Whether all groups that came apart are of one size, of which the entries can be made up.
bool is_even(const Organisation& known, const std::vector<Group>& groups) {
  return !groups.empty() && alike(groups) && known.entries % ways_of(groups.front()) == 0;
}

/// Until two growths over other pages agree: where a level before this one replaces at random, one may go wrong.
void count_by_growth(const Memory& memory, const Organisation& known, SetWays& found) {
  constexpr std::uint64_t most_growths = 7;
  std::map<std::vector<std::int64_t>, int> seen;
  for (std::uint64_t growth = 0; growth < most_growths; ++growth) {
    std::vector<std::int64_t> ways;
    for (const Group& group : grown(memory, known, 7 + growth)) ways.push_back(ways_of(group));
    const std::int64_t sum = std::accumulate(ways.begin(), ways.end(), std::int64_t{0});
    if (sum != known.entries) {
      found.reason = "sets that came apart account for " + std::to_string(sum) + " of " +
                     std::to_string(known.entries) + " entries";
      continue;
    }
    std::ranges::sort(ways, std::greater<>());
    if (++seen[ways] < 2) continue;
    found.ways = ways;
    found.confidence = confidence::tlb::sets_growing;
    found.method = "growing-walk";
    found.reason.clear();
    return;
  }
  if (!seen.empty()) found.reason = "no two walks that grow over other pages agree about the sets";
}

}  // namespace

SetWays set_ways(const Memory& memory, const Organisation& known) {
  SetWays found;
  if (places(memory, known) < known.entries + known.entries / 4 + 1) {
    found.reason = "the memory that could be had holds no more pages than the level has entries";
    return found;
  }
  if (fully_associative(memory, known)) {
    const auto pages = shuffled_pages(memory, known, 1);
    found.ways = {known.entries};
    found.groups = {first(pages, known.entries + 1)};
    found.confidence = confidence::tlb::one_set;
    found.method = "random-pages";
    return found;
  }
  find_groups(memory, known, quick, found);
  // Where single visits do not stand out from noise, each look takes dozens of passes.
  const bool affordable = known.entries > small_level && known.level.sharp();
  if (affordable && !is_even(known, found.groups)) find_groups(memory, known, thorough, found);
  // Of a small level, the sets that overflow first may all be alike though others are larger.
  if (known.entries <= small_level) count_by_growth(memory, known, found);
  const bool enough = found.groups.size() >= enough_groups;
  if (found.ways.empty() && is_even(known, found.groups) && (known.entries > small_level || enough)) {
    const std::int64_t ways = ways_of(found.groups.front());
    found.ways.assign(static_cast<std::size_t>(known.entries / ways), ways);
    found.confidence =
        known.entries > small_level && enough ? confidence::tlb::sets_many_groups : confidence::tlb::sets_few_groups;
    found.method = "conflict-groups";
    found.reason.clear();
  } else if (known.entries > small_level) {
    found.reason = found.groups.empty() ? "no pages were found that share a set" : "sets are not alike, and too many";
  }
  return found;
}

}  // namespace tomograph::tlb
