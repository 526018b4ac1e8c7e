#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "reach.hpp"
#include "sets.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/miss_pattern.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

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
  for (std::size_t round = 0; round < sets.rounds; ++round) {
    rest.insert(rest.end(), sets.others.begin(), sets.others.end());
  }
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
  double miss_share = 0;  ///< by the mean extra latency, which noise does not bias
  std::size_t fillers = 0;
  std::size_t rounds = 1;
};

/// Visits of the group's pages in a ring that also empties the levels before.
Trace walk_group(const Memory& memory, const Organisation& known, const SetWays& sets) {
  const Group& group = sets.groups.front();
  Walk walk{.pages = group, .unit = spread(known.entry_span)};
  const auto rest = rest_of(sets, 0);
  walk.pages.insert(walk.pages.end(), rest.begin(), rest.end());
  const auto visits = static_cast<std::int64_t>(walk.pages.size());
  walk.passes = possible_passes(memory, visits, std::max<std::int64_t>(replacements_per_way, known.level.passes()));
  const ExtraLatency seen = extra_latency(memory, walk);
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

/// The walk with as few fillers, or rounds of all of them, as make all visits miss or, if none do, most of them. These
/// are all that is kept in `sets`.
Trace walk_with_enough_fillers(const Memory& memory, const Organisation& known, SetWays& sets) {
  constexpr std::size_t most_rounds = 4;
  constexpr std::size_t fewest = 8;  // of a first level, which is asked without any at first
  SetWays tried = sets;
  Trace best;
  for (std::size_t count = static_cast<std::size_t>(known.fillers);;) {
    const std::size_t all = sets.others.size();
    tried.others.assign(sets.others.begin(), sets.others.begin() + static_cast<std::ptrdiff_t>(std::min(count, all)));
    Trace trace = walk_group(memory, known, tried);
    constexpr double clearly = 0.05;
    const bool better = best.cycles.empty() || trace.miss_share > best.miss_share + clearly;
    if (better || trace.miss_share > all_miss) {
      best = std::move(trace);
      best.fillers = std::min(count, all);
      best.rounds = tried.rounds;
    }
    if (best.miss_share > all_miss || all == 0 || tried.rounds >= most_rounds) break;
    if (count < all) {
      count = std::max(2 * count, fewest);
    } else {
      tried.rounds *= 2;
    }
  }
  sets.others.resize(best.fillers);
  sets.rounds = best.rounds;
  return best;
}

/// Whether the group overflows: under any policy, a set and one page miss once a pass.
bool overflows(const Trace& trace, const Group& group) {
  constexpr double half = 0.5;
  return trace.miss_share > half / static_cast<double>(group.size());
}

/// The same for the first of the siblings that overflows. `sets` is what was walked, that sibling first.
Trace overflowing_walk(const Memory& memory, const Organisation& known, const SetWays& found, SetWays& sets) {
  Trace trace;
  const std::size_t siblings = std::min(found.siblings, found.groups.size());
  for (std::size_t first = 0; first < siblings; ++first) {
    sets = found;
    std::swap(sets.groups.front(), sets.groups[first]);
    trace = walk_with_enough_fillers(memory, known, sets);
    if (overflows(trace, sets.groups.front())) break;
  }
  return trace;
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
  const ExtraLatency seen = extra_latency(memory, walk);
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
  policy.confidence = confidence::tlb::lru_or_fifo;
  return policy;
}

/// Share of visits that miss where `pages` take turns in one set and a miss replaces any of its ways alike: a page
/// stays if none of the misses between two visits takes its way, m = 1 - (1 - 1/ways)^(m (pages - 1)).
double random_miss_share(std::int64_t ways, std::int64_t pages) {
  double share = 1;
  for (int step = 0; step < 200; ++step) {
    share = 1 - std::pow(1 - 1 / static_cast<double>(ways), share * static_cast<double>(pages - 1));
  }
  return share;
}

/// Share of misses as `pages` take turns, a mean over as many visits as can be timed.
struct Share {
  double misses = 0;
  double deviation = 0;
};
std::optional<Share> share_among(const Memory& memory, const Organisation& known, std::int64_t pages) {
  Walk walk{.pages = evenly(known.entry_span, pages), .unit = spread(known.entry_span)};
  if (pages > memory.most_visits || walk.pages.back() + walk.unit > memory.bytes) return std::nullopt;
  walk.passes = possible_passes(memory, pages, memory.most_visits / pages);
  const auto seen = extra_latency(memory, walk).cycles;
  const double one = known.level.noise / (known.level.miss - known.level.hit) + 0.5;
  return Share{miss_share(known.level, seen), one / std::sqrt(static_cast<double>(seen.size()))};
}

/// Of a level of one set, from the shares of misses as pages by far too many take turns: all miss under LRU and FIFO.
/// Means over many visits, which noise in single ones does not spoil. What a miss takes is known from plateaus that
/// noise moves, so a share below 1 says nothing by itself; but it does where more pages have a larger one.
Policy by_miss_shares(const Memory& memory, const Organisation& known, Policy policy) {
  constexpr double nearly_all = 0.95;
  std::vector<Share> shares;
  bool some_stay = true;
  bool like_random = true;
  for (const std::int64_t pages : {known.entries + known.entries / 2, 2 * known.entries}) {
    const auto share = share_among(memory, known, pages);
    if (!share) return policy;
    const double reach = 3 * share->deviation;
    some_stay = some_stay && share->misses + reach < nearly_all;
    like_random = like_random && std::abs(share->misses - random_miss_share(known.entries, pages)) < 0.04 + reach;
    shares.push_back(*share);
  }
  const double more = shares.back().misses - shares.front().misses;
  if (!some_stay || more < 3 * std::hypot(shares.front().deviation, shares.back().deviation)) return policy;
  policy.name = like_random ? "random" : "not-lru";
  // Other policies may leave as many.
  policy.confidence = like_random ? confidence::tlb::random_by_shares : confidence::tlb::not_lru_by_shares;
  policy.reason.clear();
  return policy;
}

}  // namespace

Policy policy(const Memory& memory, const Organisation& known, const SetWays& found) {
  Policy result;
  if (found.groups.empty()) {
    result.reason = "no pages are known that share a set";
    return result;
  }
  SetWays sets;
  const Trace trace = overflowing_walk(memory, known, found, sets);
  const Group& group = sets.groups.front();
  result.trace = trace.cycles;
  const double wrong = misread(known.level);
  if (trace.miss_share > all_miss) return lru_or_fifo(memory, known, sets, std::move(result));
  constexpr double readable = 0.03;
  if (!overflows(trace, group)) {
    result.reason = "pages that were one too many for their set fit when they were walked again";
  } else if (wrong <= readable) {
    const auto verdict = analysis::classify_replacement(trace.accesses, trace.nodes, group.size() - 1, wrong);
    result.confidence = verdict.confidence;
    switch (verdict.policy) {
      case analysis::Replacement::deterministic: result.name = "not-lru"; break;
      case analysis::Replacement::random: result.name = "random"; break;
      case analysis::Replacement::way_weighted: result.name = "way-weighted"; break;
      default: result.reason = "too few replacements could be told from noise"; break;
    }
  } else {
    result.reason = "not every visit to a full set misses, and single visits do not stand out from noise";
  }
  if (result.name.empty() && sets.ways.size() == 1) return by_miss_shares(memory, known, std::move(result));
  return result;
}

}  // namespace tomograph::tlb
