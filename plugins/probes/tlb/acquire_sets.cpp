#include "acquire_sets.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "acquire_fit.hpp"
#include "acquire_groups.hpp"
#include "acquire_strides.hpp"
#include "tomograph/analysis/confidence.hpp"

namespace tomograph::tlb {

namespace {

/// A search for groups in random pages. The thorough one runs if the quick one does not decide.
struct Search {
  std::uint64_t seed = 0;
  int draws = 0;
  std::size_t confirmations = 0;  ///< pages of each group of a large level that must confirm it
};
/// Chosen by hand.
constexpr int quick_draws = 8;
constexpr std::size_t quick_confirmations = 4;
constexpr int thorough_draws = 16;
constexpr std::size_t thorough_confirmations = 12;
const Search quick{.seed = 1, .draws = quick_draws, .confirmations = quick_confirmations};
const Search thorough{.seed = 101, .draws = thorough_draws, .confirmations = thorough_confirmations};

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
    auto groups = split_into_groups(memory, known, pages, search.confirmations);
    if (auto all = take_whole(known.entries, pages, groups)) whole = {pages, std::move(*all)};
    drop_unions(groups);
    if (!groups.empty()) add(pages, groups);
  }
  if (found.groups.empty() && whole) add(whole->first, {whole->second});
  drop_unions(found.groups);
}

/// Grows walks over other pages until two agree: one may go wrong where a level before this one replaces at random.
void count_by_growth(const Memory& memory, const Organisation& known, SetWays& found) {
  // More take longer than is worthwhile. Chosen by hand.
  constexpr std::uint64_t most_growths = 7;
  std::map<std::vector<std::int64_t>, int> seen;
  for (std::uint64_t growth = 0; growth < most_growths; ++growth) {
    std::vector<std::int64_t> ways;
    for (const Group& group : groups_by_growth(memory, known, 7 + growth)) ways.push_back(ways_of(group));
    const std::int64_t sum = std::accumulate(ways.begin(), ways.end(), std::int64_t{0});
    if (sum != known.entries) {
      found.reason = "the sets that were found account for " + std::to_string(sum) + " of " +
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
  if (!seen.empty()) found.reason = "no two walks over growing numbers of pages agree about the sets";
}

/// One page more than a level of one set holds.
Group any_pages_of_one_set(const Memory& memory, const Organisation& known) {
  return first(shuffled_pages(memory, known, 1), known.entries + 1);
}

}  // namespace

bool fully_associative(const Memory& memory, const Organisation& known) {
  // Two sets of 8 ways hold 16 random pages in 20 % of the draws, and in six of eight draws in 1e-3 of the cases. If
  // noise makes a tenth of the draws seem to miss, fewer than six fit one set in 4 % of the cases (binomial).
  constexpr int draws = 8;
  constexpr int demanded = 6;
  int fitting = 0;
  for (int draw = 0; draw < draws && fitting + draws - draw >= demanded; ++draw) {
    const auto pages = shuffled_pages(memory, known, 100 + static_cast<std::uint64_t>(draw));
    fitting += fits(memory, known.level, first(pages, known.entries), memory.spread(known.entry_span)) ? 1 : 0;
  }
  return fitting >= demanded;
}

bool one_more_overflows(const Memory& memory, const Organisation& known) {
  // If the page had room, and noise made a tenth of the draws seem to miss, all four would in 1e-4 of the cases.
  constexpr std::uint64_t draws = 4;
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    const auto pages = shuffled_pages(memory, known, 200 + draw);
    if (fits(memory, known.level, first(pages, known.entries + 1), memory.spread(known.entry_span))) return false;
  }
  return true;
}

SetWays set_ways(const Memory& memory, const Organisation& known) {
  SetWays found;
  // More than the entries, so that random pages overflow some sets. Chosen by hand.
  constexpr double more = 0.25;
  if (memory.places(known.entry_span) <
      static_cast<std::int64_t>((1 + more) * static_cast<double>(known.entries)) + 1) {
    found.reason = "the memory that could be had holds no more pages than the level has entries";
    return found;
  }
  if (fully_associative(memory, known)) {
    found.ways = {known.entries};
    found.groups = {any_pages_of_one_set(memory, known)};
    found.confidence = confidence::tlb::one_set;
    found.method = "random-pages";
    return found;
  }
  if (auto equal = sets_by_strides(memory, known)) return *std::move(equal);
  find_groups(memory, known, quick, found);
  // Where a single visit does not tell a hit from a miss, each walk takes dozens of passes.
  const bool affordable = known.entries > small_level && known.level.sharp();
  if (affordable && !is_even(known.entries, found.groups)) find_groups(memory, known, thorough, found);
  // In a small level, the sets that overflow first may have equal sizes although others are larger.
  if (known.entries <= small_level) count_by_growth(memory, known, found);
  if (found.ways == std::vector{known.entries}) found.groups = {any_pages_of_one_set(memory, known)};
  const bool enough = found.groups.size() >= enough_groups;
  if (found.ways.empty() && is_even(known.entries, found.groups) && (known.entries > small_level || enough)) {
    const std::int64_t ways = ways_of(found.groups.front());
    found.ways.assign(static_cast<std::size_t>(known.entries / ways), ways);
    found.confidence =
        known.entries > small_level && enough ? confidence::tlb::sets_many_groups : confidence::tlb::sets_few_groups;
    found.method = "conflict-groups";
    found.reason.clear();
  } else if (known.entries > small_level) {
    found.reason = found.groups.empty() ? "no pages were found that share a set"
                                        : "the sets are unequal, and too many to be found one by one";
  }
  return found;
}

}  // namespace tomograph::tlb
