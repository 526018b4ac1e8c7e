#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "acquire_sets.hpp"
#include "acquire_visits.hpp"

namespace tomograph::tlb {

namespace {

/// Twice what the classifier needs at least.
constexpr std::int64_t replacements_per_way = 40;

/// In a level before whose victims are random, some pages stay: one in eight after twice its entries, one in 3,000
/// after so many times that.
constexpr std::size_t more_rounds = 4;

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
  Walk walk{.pages = group, .unit = memory.spread(known.entry_span)};
  const auto rest = rest_of(sets, 0);
  walk.pages.insert(walk.pages.end(), rest.begin(), rest.end());
  for (std::size_t round = 1; round < sets.rounds; ++round) {
    walk.pages.insert(walk.pages.end(), sets.others.begin(), sets.others.end());
  }
  const auto visits = static_cast<std::int64_t>(walk.pages.size());
  walk.warm = warming_walks(visits);
  walk.passes = possible_passes(memory, visits, std::max<std::int64_t>(replacements_per_way, known.level.passes()));
  const ExtraLatency seen = extra_latency(memory, walk);
  Trace trace;
  for (std::size_t pass = 0; pass < seen.passes(); ++pass) {
    for (std::size_t page = 0; page < group.size(); ++page) {
      trace.extra_latency.push_back(seen.at(pass, page));
      trace.pages.push_back(static_cast<std::uint32_t>(page));
    }
  }
  const std::ptrdiff_t settling = settling_visits(known.level, trace.extra_latency);
  trace.pages.erase(trace.pages.begin(), trace.pages.begin() + settling);
  trace.extra_latency.erase(trace.extra_latency.begin(), trace.extra_latency.begin() + settling);
  trace.miss_share = miss_share(known.level, trace.extra_latency);
  return trace;
}

/// The walk with the fewest other pages, or rounds of all of them, that make all visits miss; if none do, the one with
/// the most misses. Only these pages are kept in `sets`.
Trace walk_with_enough_others(const Memory& memory, const Organisation& known, SetWays& sets) {
  // More take longer than is worthwhile. Chosen by hand.
  constexpr std::size_t most_rounds = 4;
  constexpr std::size_t fewest = 8;  // of a first level, which is first walked without any
  constexpr double clearly = 0.05;   // of the share of misses; chosen by hand
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

/// A mean over as many visits as can be timed. Nothing if the pages are too many.
std::optional<MissShare> share_among(const Memory& memory, const Organisation& known, std::int64_t pages) {
  Walk walk{.pages = evenly(known.entry_span, pages), .unit = memory.spread(known.entry_span)};
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
    // Noise makes some misses look like hits. More rounds average it out.
    constexpr double nearly_all = 0.97;
    if (trace.miss_share < nearly_all) sets.rounds *= more_rounds;
    result = policy_by_visits(memory, known, sets);
    result.trace = trace.extra_latency;
    return result;
  }
  if (overflows(trace.miss_share, group.size())) {
    result = policy_of(known.level, trace.extra_latency, trace.pages, group.size() - 1);
  } else {
    result.reason = "pages that were one too many for their set fit when they were walked again";
  }
  result.trace = trace.extra_latency;
  if (result.name.empty() && sets.ways.size() == 1) result = by_miss_shares(memory, known, std::move(result));
  if (!result.name.empty()) return result;
  // Visits that agree with no policy under which every visit of the walk would have missed.
  sets.rounds *= more_rounds;
  Policy visits = policy_by_visits(memory, known, sets);
  if (visits.name != "not-lru") return result;
  visits.trace = std::move(result.trace);
  return visits;
}

}  // namespace tomograph::tlb
