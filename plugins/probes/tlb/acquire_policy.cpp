#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "acquire_reach.hpp"
#include "acquire_sets.hpp"
#include "tomograph/analysis/confidence.hpp"

namespace tomograph::tlb {

namespace {

/// Twice what the classifier needs at least.
constexpr std::int64_t replacements_per_way = 40;

/// The siblings of a group, and pages that evict everything from the levels before and hit in this one.
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

/// The same between visits to single pages of the group. Where a group is the whole level, these are its newest pages.
std::vector<std::int64_t> rest_between(const Organisation& known, const SetWays& sets, std::size_t which,
                                       const Group& group) {
  if (sets.ways.size() != 1) return rest_of(sets, which);
  const std::size_t spare = group.size() > 3 ? group.size() - 3 : 0;
  const auto count = std::min<std::size_t>(spare, static_cast<std::size_t>(known.evicting_pages));
  return {group.end() - static_cast<std::ptrdiff_t>(count), group.end()};
}

/// Visits of a group's pages.
struct Trace {
  std::vector<std::uint32_t> pages;
  std::vector<double> extra_latency;
  double miss_share = 0;
  std::size_t others = 0;  ///< pages between two passes
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
      trace.extra_latency.push_back(seen.at(pass, page));
      trace.pages.push_back(static_cast<std::uint32_t>(page));
    }
  }
  trace.miss_share = miss_share(known.level, trace.extra_latency);
  return trace;
}

/// The walk with the fewest other pages, or rounds of all of them, that make all visits miss; if none do, the one with
/// the most misses. Only these pages are kept in `sets`.
Trace walk_with_enough_others(const Memory& memory, const Organisation& known, SetWays& sets) {
  // More take longer than is worthwhile. Chosen on simulated GPUs.
  constexpr std::size_t most_rounds = 4;
  constexpr std::size_t fewest = 8;  // of a first level, which is first walked without any
  constexpr double clearly = 0.05;   // of the share of misses; chosen on simulated GPUs
  SetWays tried = sets;
  Trace best;
  for (auto count = static_cast<std::size_t>(known.evicting_pages);;) {
    const std::size_t all = sets.others.size();
    tried.others.assign(sets.others.begin(), sets.others.begin() + static_cast<std::ptrdiff_t>(std::min(count, all)));
    Trace trace = walk_group(memory, known, tried);
    const bool better = best.extra_latency.empty() || trace.miss_share > best.miss_share + clearly;
    if (better || trace.miss_share > all_miss) {
      best = std::move(trace);
      best.others = std::min(count, all);
      best.rounds = tried.rounds;
    }
    if (best.miss_share > all_miss || all == 0 || tried.rounds >= most_rounds) break;
    if (count < all) {
      count = std::max(2 * count, fewest);
    } else {
      tried.rounds *= 2;
    }
  }
  sets.others.resize(best.others);
  sets.rounds = best.rounds;
  return best;
}

/// The same for the first of the siblings that overflows. `sets` is what was walked, that sibling first.
Trace overflowing_walk(const Memory& memory, const Organisation& known, const SetWays& found, SetWays& sets) {
  Trace trace;
  const std::size_t siblings = std::min(found.siblings, found.groups.size());
  for (std::size_t first = 0; first < siblings; ++first) {
    sets = found;
    std::swap(sets.groups.front(), sets.groups[first]);
    trace = walk_with_enough_others(memory, known, sets);
    if (overflows(trace.miss_share, sets.groups.front().size())) break;
  }
  return trace;
}

/// Where every visit to ways + 1 pages misses, the pages' order of age is that of the walk. The oldest page is visited
/// once more, then another page misses: LRU keeps the oldest page and replaces the next one, FIFO the other way round.
/// @return share of the passes in which the oldest was replaced.
double oldest_replaced(const Memory& memory, const Organisation& known, const SetWays& sets, std::size_t trial) {
  const std::size_t siblings = std::min(sets.siblings, sets.groups.size());
  Group group = sets.groups[trial % siblings];
  const auto oldest = group.begin() + static_cast<std::ptrdiff_t>(trial / siblings % group.size());
  std::rotate(group.begin(), oldest, group.end());  // Clang 14 has no ranges::rotate
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

/// Repeats the test until one answer leads by four. A trial is right with probability 0.9 at least, so the wrong one
/// leads by four first with probability 1 / (1 + 9^4) = 1.5e-4.
Policy lru_or_fifo(const Memory& memory, const Organisation& known, const SetWays& sets, Policy policy) {
  // Ten times the lead. If a trial is right with probability 0.9, a lead of four comes almost surely.
  constexpr std::size_t most_trials = 40;
  constexpr int lead = 4;
  // Shares of an ideal device are 0 and 1; what lies between does not count.
  constexpr double kept = 0.3;
  constexpr double replaced = 0.7;
  int lru = 0;
  for (std::size_t trial = 0; trial < most_trials && std::abs(lru) < lead; ++trial) {
    const double share = oldest_replaced(memory, known, sets, trial);
    if (share < kept) ++lru;
    if (share > replaced) --lru;
  }
  if (lru >= lead) policy.name = "lru";
  if (lru <= -lead) policy.name = "fifo";
  if (policy.name.empty()) policy.reason = "trials disagree about whether a page that is visited again is kept";
  policy.confidence = confidence::tlb::lru_or_fifo;
  return policy;
}

/// A mean over as many visits as can be timed. Nothing if the pages are too many.
std::optional<MissShare> share_among(const Memory& memory, const Organisation& known, std::int64_t pages) {
  Walk walk{.pages = evenly(known.entry_span, pages), .unit = spread(known.entry_span)};
  if (pages > memory.most_visits || walk.pages.back() + walk.unit > memory.bytes) return std::nullopt;
  walk.warm = warming_walks(pages);
  walk.passes = possible_passes(memory, pages, memory.most_visits / pages);
  const auto seen = extra_latency(memory, walk).cycles;
  // The deviation of one visit: that of noise, and half a miss for whether it missed.
  const double one = known.level.noise / (known.level.miss - known.level.hit) + 0.5;
  return MissShare{pages, miss_share(known.level, seen), one / std::sqrt(static_cast<double>(seen.size()))};
}

/// Of a level of one set; `policy` if the shares of misses do not decide. They are means over many visits, which noise
/// in single ones does not spoil.
Policy by_miss_shares(const Memory& memory, const Organisation& known, Policy policy) {
  std::array<MissShare, 2> shares;
  const std::array counts{known.entries + known.entries / 2, 2 * known.entries};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto share = share_among(memory, known, counts[i]);
    if (!share) return policy;
    shares[i] = *share;
  }
  Policy found = policy_of(known.entries, shares);
  if (found.name.empty()) return policy;
  found.trace = std::move(policy.trace);
  return found;
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
  if (trace.miss_share > all_miss) {
    result.trace = trace.extra_latency;
    return lru_or_fifo(memory, known, sets, std::move(result));
  }
  if (overflows(trace.miss_share, group.size())) {
    result = policy_of(known.level, trace.extra_latency, trace.pages, group.size() - 1);
  } else {
    result.reason = "pages that were one too many for their set fit when they were walked again";
  }
  result.trace = trace.extra_latency;
  if (result.name.empty() && sets.ways.size() == 1) return by_miss_shares(memory, known, std::move(result));
  return result;
}

}  // namespace tomograph::tlb
