#include "analysis_missing_together.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace tomograph::constant_cache {

namespace {

/// Natural logarithm of the odds from which on lines count as lines of one set: two lines of different sets do so once
/// in a million pairs.
constexpr double sure = 14;
/// What happened to the members of a set in one walk. No line of a set that fits misses. In an overfull set some must,
/// since some policies keep the others.
struct Votes {
  std::uint32_t held = 0;
  std::uint32_t missing = 0;

  [[nodiscard]] LineState state() const {
    if (held == 0 && missing == 0) return LineState::absent;
    // Of 8 lines that fit, so many are misread in 2 % of the walks (binomial).
    constexpr std::uint32_t one_in = 5;
    return one_in * missing >= held + missing ? LineState::missing : LineState::held;
  }
};

/// In which walks the state of a line or a group was seen, and in which of them it missed.
struct Signature {
  explicit Signature(std::size_t walks) : seen((walks + 63) / 64), missing((walks + 63) / 64) {}

  void set(std::size_t walk, LineState state) {
    const std::uint64_t bit = std::uint64_t{1} << (walk % 64);
    const bool known = state == LineState::held || state == LineState::missing;
    seen[walk / 64] = known ? seen[walk / 64] | bit : seen[walk / 64] & ~bit;
    missing[walk / 64] = state == LineState::missing ? missing[walk / 64] | bit : missing[walk / 64] & ~bit;
  }

  std::vector<std::uint64_t> seen;
  std::vector<std::uint64_t> missing;
};

/// Logarithm of the odds that two signatures are of one set. Those of two sets agree by chance, the more often the
/// more one-sided both are: some policies always keep the first lines of a walk. What is never held lies where code has
/// all ways; such lines count as one set.
double odds_of_one_set(const Signature& one, const Signature& other) {
  int both = 0;
  int differing = 0;
  int one_missing = 0;
  int other_missing = 0;
  for (std::size_t word = 0; word < one.seen.size(); ++word) {
    const std::uint64_t seen = one.seen[word] & other.seen[word];
    both += std::popcount(seen);
    differing += std::popcount(seen & (one.missing[word] ^ other.missing[word]));
    one_missing += std::popcount(seen & one.missing[word]);
    other_missing += std::popcount(seen & other.missing[word]);
  }
  const auto share = [&](int missing) { return (missing + 0.5) / (both + 1); };
  const double never_held = 1 - 3 * misread;  // of 60 walks, six are misread once in 110 lines (binomial)
  if (share(one_missing) > never_held && share(other_missing) > never_held) return sure;
  const double differ_by_chance =
      share(one_missing) * (1 - share(other_missing)) + share(other_missing) * (1 - share(one_missing));
  if (differ_by_chance <= misread) return 0;
  return (both - differing) * std::log((1 - misread) / (1 - differ_by_chance)) +
         differing * std::log(misread / differ_by_chance);
}

double missing_share(const Walk& walk) {
  const auto missing = static_cast<double>(std::ranges::count(walk, LineState::missing));
  const auto held = static_cast<double>(std::ranges::count(walk, LineState::held));
  return (missing + 0.5) / (missing + held + 1);
}

/// The walks that tell lines apart: some lines miss, and some are held.
std::vector<const Walk*> informative(std::span<const Walk> walks) {
  // Where fewer than a tenth do, two lines agree by chance in more than 80 % of the cases.
  constexpr double least = 0.1;
  std::vector<const Walk*> found;
  for (const Walk& walk : walks) {
    const double share = missing_share(walk);
    if (share > least && share < 1 - least) found.push_back(&walk);
  }
  return found;
}

/// Lines that were held in the same walks.
struct Group {
  explicit Group(std::size_t walks) : votes(walks), signature(walks) {}

  void add(std::span<const Walk* const> walks, std::size_t line) {
    for (std::size_t walk = 0; walk < walks.size(); ++walk) {
      votes[walk].held += (*walks[walk])[line] == LineState::held ? 1 : 0;
      votes[walk].missing += (*walks[walk])[line] == LineState::missing ? 1 : 0;
      signature.set(walk, votes[walk].state());
    }
  }
  void add(const Group& other) {
    for (std::size_t walk = 0; walk < votes.size(); ++walk) {
      votes[walk].held += other.votes[walk].held;
      votes[walk].missing += other.votes[walk].missing;
      signature.set(walk, votes[walk].state());
    }
  }

  std::vector<Votes> votes;
  Signature signature;
};

std::vector<Signature> signatures_of(std::span<const Walk* const> walks) {
  std::vector<Signature> found(walks.front()->size(), Signature(walks.size()));
  for (std::size_t walk = 0; walk < walks.size(); ++walk) {
    for (std::size_t line = 0; line < found.size(); ++line) found[line].set(walk, (*walks[walk])[line]);
  }
  return found;
}

/// A line that is in none of the groups rather than in any of them.
constexpr std::size_t unmatched = std::numeric_limits<std::size_t>::max();

/// Number of the likeliest group for a line, and its odds.
struct Match {
  std::size_t group = unmatched;
  double odds = 0;
};

Match best_match(std::span<const Group> groups, const Signature& line) {
  Match best;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const double odds = odds_of_one_set(line, groups[group].signature);
    if (odds > best.odds) best = {group, odds};
  }
  return best;
}

/// Groups that turn out to be one are merged.
void merge(std::vector<Group>& groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t j = i + 1; j < groups.size();) {
      if (odds_of_one_set(groups[i].signature, groups[j].signature) < sure) {
        ++j;
        continue;
      }
      groups[i].add(groups[j]);
      groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

std::vector<std::size_t> assignment(std::span<const Group> groups, std::span<const Signature> lines) {
  std::vector<std::size_t> group_of;
  for (const Signature& line : lines) group_of.push_back(best_match(groups, line).group);
  return group_of;
}

/// Drops groups of less than a quarter of the largest one. They began with a line that was misread too often to match
/// its set.
void drop_small(std::vector<Group>& groups, std::span<const std::size_t> group_of) {
  std::vector<std::size_t> sizes(groups.size());
  for (const std::size_t group : group_of) {
    if (group != unmatched) ++sizes[group];
  }
  const std::size_t largest = std::ranges::max(sizes);
  for (std::size_t group = groups.size(); group-- > 0;) {
    if (4 * sizes[group] < largest) groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(group));
  }
}

/// Numbers groups by their first lines and leaves out those without.
void renumber(std::vector<std::size_t>& group_of) {
  std::vector<std::size_t> number(group_of.empty() ? 0 : std::ranges::max(group_of) + 1, group_of.size());
  std::size_t next = 0;
  for (std::size_t& group : group_of) {
    if (number[group] == group_of.size()) number[group] = next++;
    group = number[group];
  }
}

/// One set in one walk.
struct Outcome {
  std::size_t lines = 0;
  LineState state = LineState::absent;
};

/// Lines that a level before this one serves walk after walk leave this level to the others.
std::vector<Outcome> outcomes_of(std::span<const Walk> walks, std::span<const std::size_t> lines) {
  std::vector<Outcome> outcomes;
  for (const Walk& walk : walks) {
    Votes votes;
    for (const std::size_t line : lines) {
      votes.held += walk[line] == LineState::held ? 1 : 0;
      votes.missing += walk[line] == LineState::missing ? 1 : 0;
    }
    if (votes.state() != LineState::absent) outcomes.push_back({votes.held + votes.missing, votes.state()});
  }
  return outcomes;
}

/// The number of ways that contradicts the fewest outcomes; of several the least, which is the most that stayed.
struct WayCount {
  std::size_t count = 0;
  std::size_t contradictions = 0;
  std::size_t displaced = 0;  ///< of the contradictions, those of full sets that missed: something else had a way
  bool overflow_seen = false;
};

WayCount ways_of(std::span<const Outcome> outcomes) {
  std::size_t most = 0;
  for (const Outcome& one : outcomes) most = std::max(most, one.lines);
  WayCount best{.contradictions = outcomes.size() + 1};
  for (std::size_t ways = 0; ways <= most; ++ways) {
    const auto contradictions = static_cast<std::size_t>(std::ranges::count_if(
        outcomes, [&](const Outcome& one) { return (one.lines > ways) != (one.state == LineState::missing); }));
    if (contradictions < best.contradictions) best = {.count = ways, .contradictions = contradictions};
  }
  const auto missed_with = [&](std::size_t lines) {
    return static_cast<std::size_t>(std::ranges::count_if(
        outcomes, [&](const Outcome& one) { return one.lines == lines && one.state == LineState::missing; }));
  };
  best.displaced = missed_with(best.count);
  best.overflow_seen = missed_with(best.count + 1) != 0;
  return best;
}

/// Outcomes of one set, and those that its number of ways contradicts.
struct Score {
  std::size_t outcomes = 0;
  std::size_t contradictions = 0;
  std::size_t displaced = 0;

  void add(const Score& other) {
    outcomes += other.outcomes;
    contradictions += other.contradictions;
    displaced += other.displaced;
  }
  [[nodiscard]] double share(std::size_t of) const {
    return static_cast<double>(of) / static_cast<double>(std::max<std::size_t>(1, outcomes));
  }
};

/// Share of the outcomes that are contradicted. The measuring kernel's instructions lie in the cache, too: they take a
/// way of some sets in some walks, and more of a few sets, which do not count.
double contradicted(std::vector<Score> scores) {
  std::ranges::sort(scores, std::ranges::greater{}, [](const Score& one) { return one.share(one.contradictions); });
  Score all;
  for (std::size_t set = scores.size() / largest_code; set < scores.size(); ++set) all.add(scores[set]);
  const bool may_be_code = largest_code * all.displaced <= all.outcomes;
  return all.share(all.contradictions - (may_be_code ? all.displaced : 0));
}

/// Nothing if some line shares its fate with no group.
std::optional<std::vector<std::size_t>> group_by_fate(std::span<const Walk* const> walks) {
  const auto lines = signatures_of(walks);
  std::vector<Group> groups;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const Match match = best_match(groups, lines[line]);
    if (match.odds < sure) groups.emplace_back(walks.size());
    (match.odds < sure ? groups.back() : groups[match.group]).add(walks, line);
  }
  merge(groups);
  drop_small(groups, assignment(groups, lines));
  auto group_of = assignment(groups, lines);
  if (std::ranges::find(group_of, unmatched) != group_of.end()) return std::nullopt;
  renumber(group_of);
  return group_of;
}

}  // namespace

bool SetMap::code_may_fill_sets_without_ways() const {
  const auto taken = static_cast<std::size_t>(std::ranges::count(ways, std::size_t{0}));
  return largest_code * taken <= ways.size();
}

SetMap map_of_sets(std::span<const Walk> walks, std::vector<std::size_t> set_of) {
  std::vector<std::vector<std::size_t>> sets(std::ranges::max(set_of) + 1);
  for (std::size_t line = 0; line < set_of.size(); ++line) sets[set_of[line]].push_back(line);
  SetMap map;
  map.set_of = std::move(set_of);
  std::vector<Score> scores;
  for (const auto& lines : sets) {
    const auto outcomes = outcomes_of(walks, lines);
    const WayCount ways = ways_of(outcomes);
    map.ways.push_back(ways.count);
    map.overflow_seen.push_back(ways.overflow_seen);
    map.outcomes += outcomes.size();
    scores.push_back({outcomes.size(), ways.contradictions, ways.displaced});
  }
  map.contradictions = contradicted(std::move(scores));
  return map;
}

std::optional<SetMap> map_sets(std::span<const Walk> walks) {
  if (walks.empty() || walks.front().empty()) return std::nullopt;
  for (const Walk& walk : walks) {
    if (walk.size() != walks.front().size()) throw std::invalid_argument("walks over different numbers of lines");
  }
  const auto chosen = informative(walks);
  if (2 * chosen.size() < walks.size()) return std::nullopt;
  auto groups = group_by_fate(chosen);
  if (!groups) return std::nullopt;
  SetMap map = map_of_sets(walks, std::move(*groups));
  return map.code_may_fill_sets_without_ways() ? std::optional(std::move(map)) : std::nullopt;
}

}  // namespace tomograph::constant_cache
