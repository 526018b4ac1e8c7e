#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tomograph/analysis/miss_pattern.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/tlb/reach.hpp"
#include "tomograph/tlb/sets.hpp"

namespace tomograph::tlb {

namespace {

using analysis::Access;

constexpr std::int64_t replacements_per_way = 40;

/// The siblings of a group, and pages that push everything out of the levels before and hit in this one.
std::vector<std::int64_t> rest_of(const SetWays& sets, std::size_t group) {
  std::vector<std::int64_t> rest;
  for (std::size_t i = 0; i < std::min(sets.siblings, sets.groups.size()); ++i) {
    if (i != group) rest.insert(rest.end(), sets.groups[i].begin(), sets.groups[i].end());
  }
  rest.insert(rest.end(), sets.others.begin(), sets.others.end());
  return rest;
}

/// The same between visits to single pages of the group. Where a group is all of the level, these are its newest pages.
std::vector<std::int64_t> rest_between(const Organisation& known, const SetWays& sets, std::size_t which,
                                       const Group& group) {
  if (sets.ways.size() != 1) return rest_of(sets, which);
  const std::size_t spare = group.size() > 3 ? group.size() - 3 : 0;
  const auto count = std::min<std::size_t>(spare, static_cast<std::size_t>(known.fillers));
  return {group.end() - static_cast<std::ptrdiff_t>(count), group.end()};
}

/// Share of visits that missed.
double miss_share(const Level& level, const std::vector<double>& cycles) {
  constexpr double trimmed = 0.05;
  return (analysis::trimmed_mean(cycles, trimmed) - level.hit) / (level.miss - level.hit);
}

struct Trace {
  std::vector<Access> accesses;
  std::vector<std::uint32_t> nodes;
  std::vector<double> cycles;
  double miss_share = 0;  ///< by the mean surplus, which noise does not bias
};

/// Visits of the group's pages in a ring that also empties the levels before.
Trace walk_group(const Memory& memory, const Organisation& known, const SetWays& sets) {
  const Group& group = sets.groups.front();
  Walk walk{.pages = group, .unit = spread(known.entry_span)};
  const auto rest = rest_of(sets, 0);
  walk.pages.insert(walk.pages.end(), rest.begin(), rest.end());
  const auto visits = static_cast<std::int64_t>(walk.pages.size());
  walk.passes = possible_passes(memory, visits, std::max<std::int64_t>(replacements_per_way, known.level.passes()));
  const Surplus seen = surplus(memory, walk);
  Trace trace;
  for (std::size_t pass = 0; pass < seen.passes(); ++pass) {
    for (std::size_t page = 0; page < group.size(); ++page) {
      trace.cycles.push_back(seen.at(pass, page));
      trace.accesses.push_back(trace.cycles.back() > known.level.threshold() ? Access::miss : Access::hit);
      trace.nodes.push_back(static_cast<std::uint32_t>(page));
    }
  }
  trace.miss_share = miss_share(known.level, trace.cycles);
  return trace;
}

/// Share of misses from which on every visit counts as one.
constexpr double all_miss = 0.9;

/// The walk with as few fillers as make all visits miss or, if none do, most of them; these are all that is kept of
/// `sets.others`.
Trace walk_with_enough_fillers(const Memory& memory, const Organisation& known, SetWays& sets) {
  const auto all = sets.others;
  Trace best;
  std::vector<std::int64_t> others;
  for (std::size_t count = static_cast<std::size_t>(known.fillers);; count *= 2) {
    sets.others.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size())));
    Trace trace = walk_group(memory, known, sets);
    constexpr double clearly = 0.05;
    if (best.cycles.empty() || trace.miss_share > best.miss_share + clearly) {
      best = std::move(trace);
      others = sets.others;
    }
    if (best.miss_share > all_miss || count >= all.size()) break;
  }
  sets.others = std::move(others);
  return best;
}

/// Where every visit to ways + 1 pages misses, the pages' order of age is that of the walk. One more visit to the
/// oldest, then a miss: LRU has kept the oldest and replaced the next one, FIFO the other way round.
/// @return share of the trials in which it was replaced.
double oldest_replaced(const Memory& memory, const Organisation& known, const SetWays& sets, std::size_t trial) {
  const std::size_t siblings = std::min(sets.siblings, sets.groups.size());
  Group group = sets.groups[trial % siblings];
  std::ranges::rotate(group, group.begin() + static_cast<std::ptrdiff_t>(trial / siblings % group.size()));
  const auto rest = rest_between(known, sets, trial % siblings, group);
  Walk walk{.pages = {}, .unit = spread(known.entry_span)};
  const auto visit = [&](std::span<const std::int64_t> pages) {
    walk.pages.insert(walk.pages.end(), pages.begin(), pages.end());
    walk.pages.insert(walk.pages.end(), rest.begin(), rest.end());
  };
  visit(group);
  visit(std::span(group).subspan(1, 1));
  visit(std::span(group).first(1));
  const std::size_t test = walk.pages.size();
  visit(std::span(group).subspan(1, 1));
  walk.passes = possible_passes(memory, static_cast<std::int64_t>(walk.pages.size()),
                                std::max<std::int64_t>(8, known.level.passes()));
  const Surplus seen = surplus(memory, walk);
  std::vector<double> cycles;
  for (std::size_t pass = 0; pass < seen.passes(); ++pass) cycles.push_back(seen.at(pass, test));
  return miss_share(known.level, cycles);
}

double misread(const Level& level) {
  return std::min(0.4, std::erfc((level.miss - level.hit) / 2 / level.noise / std::sqrt(2.0)) / 2 + 0.002);
}

/// Trials until one answer leads by so many that chance cannot have brought it about.
Policy lru_or_fifo(const Memory& memory, const Organisation& known, const SetWays& sets, Policy policy) {
  constexpr std::size_t most_trials = 40;
  // A trial is right nine times in ten at the least: a lead of 4 is 6561 to 1.
  constexpr int lead = 4;
  int lru = 0;
  for (std::size_t trial = 0; trial < most_trials && std::abs(lru) < lead; ++trial) {
    const double share = oldest_replaced(memory, known, sets, trial);
    if (share < 0.3) ++lru;
    if (share > 0.7) --lru;
  }
  if (lru >= lead) policy.name = "lru";
  if (lru <= -lead) policy.name = "fifo";
  if (policy.name.empty()) policy.reason = "whether a page that is visited again is kept differs from time to time";
  policy.confidence = 0.998;
  return policy;
}

}  // namespace

Policy policy(const Memory& memory, const Organisation& known, const SetWays& found) {
  Policy result;
  if (found.groups.empty()) {
    result.reason = "no pages are known that share a set";
    return result;
  }
  SetWays sets = found;
  const Group& group = sets.groups.front();
  const Trace trace = walk_with_enough_fillers(memory, known, sets);
  result.trace = trace.cycles;
  const double wrong = misread(known.level);
  if (trace.miss_share > all_miss) return lru_or_fifo(memory, known, sets, std::move(result));
  constexpr double readable = 0.03;
  if (wrong > readable) {
    result.reason = "not every visit to a full set misses, and single visits do not stand out from noise";
    return result;
  }
  const auto verdict = analysis::classify_replacement(trace.accesses, trace.nodes, group.size() - 1, wrong);
  switch (verdict.policy) {
    case analysis::Replacement::deterministic: result.name = "not-lru"; break;
    case analysis::Replacement::random: result.name = "random"; break;
    case analysis::Replacement::way_weighted: result.name = "way-weighted"; break;
    default: result.reason = "too few replacements could be told from noise"; break;
  }
  result.confidence = verdict.confidence;
  return result;
}

}  // namespace tomograph::tlb
