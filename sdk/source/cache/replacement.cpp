#include "tomograph/cache/replacement.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "always_missing.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/proportion.hpp"
#include "tomograph/analysis/way_order.hpp"
#include "visits.hpp"

namespace tomograph::cache {

namespace {

/// Fills the set with all lines but the last, so that way i holds line i, then times the loads that follow, after
/// `walks` more walks over all lines.
chase::Program trace_program(const Subject& subject, const ConflictGroup& group, std::int64_t line_bytes,
                             std::int64_t trial, std::int64_t walks = 0) {
  chase::Program program = program_for(subject, subject.indexed_region());
  program.trial = trial;
  add_ring(program, {.array = 0, .nodes = nodes_of(group, line_bytes)});
  constexpr std::int64_t loads = 2 * timed_loads;  // under random replacement, 2 / (ways + 1) of them tell a victim
  program.phases = {{0, 0, 0, group.ways() + walks * (group.ways() + 1), chase::Timing::untimed},
                    {0, 0, group.ways(), loads, chase::Timing::each}};
  return program;
}

/// Verdicts of all traces, for groups with equally many ways. Way numbers have one meaning, since each trace starts
/// from a cold cache.
struct Verdicts {
  std::vector<analysis::ReplacementVerdict> each;
  std::vector<std::size_t> victims;
  analysis::Memory memory;
};

Verdicts classify(const Subject& subject, std::span<const chase::Result> results, std::int64_t ways) {
  Verdicts verdicts;
  verdicts.victims.resize(static_cast<std::size_t>(ways));
  const double misread = std::max(subject.threshold.false_hit, subject.threshold.false_miss);
  for (const chase::Result& result : results) {
    const auto& trace = result.traces.front();
    const auto seen = analysis::accesses(trace.latency, subject.threshold.cycles + result.overhead_each);
    verdicts.each.push_back(
        analysis::classify_replacement(seen, trace.node, static_cast<std::size_t>(ways), std::min(misread, 0.01)));
    const analysis::ReplacementVerdict& one = verdicts.each.back();
    for (std::size_t way = 0; way < one.victims.size(); ++way) verdicts.victims[way] += one.victims[way];
    if (!one.memory.ages.empty()) verdicts.memory.add(one.memory);
  }
  return verdicts;
}

/// Whether overflowing walks always miss after a few early hits: the sets were not empty at first, or the measuring
/// kernel had left a line of its own there.
bool misses_in_the_end(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                       std::span<const ConflictGroup> groups) {
  constexpr std::int64_t walks = 4;  // one suffices under LRU and FIFO; three more are a margin
  std::vector<chase::Program> programs;
  for (const ConflictGroup& group : groups) programs.push_back(trace_program(subject, group, line_bytes, 0, walks));
  std::size_t agreeing = 0;
  const auto results = execute(programs);
  for (const chase::Result& result : results) {
    const auto& latency = result.traces.front().latency;
    const auto hits = std::ranges::count_if(std::span(latency).subspan(latency.size() / 2),
                                            [&](std::uint32_t one) { return is_hit(subject, result, one); });
    agreeing += hits == 0 ? 1 : 0;
  }
  return 2 * agreeing > results.size();
}

/// The order of ways that the victims of most traces repeat; empty if they repeat none.
std::vector<std::size_t> usual_order(const Verdicts& verdicts) {
  std::map<std::vector<std::size_t>, std::size_t> votes;
  for (const auto& verdict : verdicts.each) ++votes[analysis::repeating_order(verdict.victim_ways)];
  return std::ranges::max_element(votes, {}, [](const auto& entry) { return entry.second; })->first;
}

/// A policy whose walks repeat with hits, `agreeing` of them: an order of ways, if that predicts other visits as well.
Replacement deterministic_policy(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                                 std::span<const ConflictGroup> groups, const Verdicts& verdicts,
                                 std::size_t agreeing) {
  Replacement found{.policy = "not-lru",
                    .confidence = analysis::confidence_from_agreement(agreeing, verdicts.each.size(), 3),
                    .victims = std::accumulate(verdicts.victims.begin(), verdicts.victims.end(), std::size_t{0})};
  const auto order = usual_order(verdicts);
  if (order.size() < 2) return found;  // a single way is that of the newest line, where policies keep older ones
  const std::size_t predicted = as_way_order(execute, subject, line_bytes, groups, order);
  if (4 * predicted < 3 * groups.size()) return found;  // as for tree-PLRU
  found.policy = "way-order";
  found.confidence = analysis::confidence_from_agreement(predicted, groups.size(), 4);
  found.way_probability = analysis::shares_of_ways(order, static_cast<std::size_t>(groups.front().ways()));
  found.way_order = order;
  return found;
}

/// Expected number of misread loads per trace. A hit that counts as a miss makes two lines swap their ways for the rest
/// of the trace.
double misread_loads(const Subject& subject, std::span<const analysis::ReplacementVerdict> verdicts,
                     std::span<const chase::Result> results) {
  double misread = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto loads = static_cast<double>(results[i].traces.front().latency.size());
    const auto victims = std::accumulate(verdicts[i].victims.begin(), verdicts[i].victims.end(), std::size_t{0});
    const auto misses = std::min(static_cast<double>(victims), loads);
    misread += (loads - misses) * subject.threshold.false_miss + misses * subject.threshold.false_hit;
  }
  return misread / static_cast<double>(results.size());
}

/// Decides between equal and unequal way probabilities from the victims of all traces together, if victims do not
/// depend on what happened before.
void weigh_ways(Replacement& found, const Verdicts& verdicts) {
  const std::span<const std::size_t> victims = verdicts.victims;
  const auto total = static_cast<double>(found.victims);
  const double expected = total / static_cast<double>(victims.size());
  constexpr double least_per_way = 20;  // Pearson's test needs 5 and more (Cochran 1954)
  if (victims.size() < 2 || expected < least_per_way) {
    found.reason = "too few replacements were seen";
    return;
  }
  const double independent = analysis::p_value_of_independence(verdicts.memory);
  if (independent < analysis::surely_dependent) {
    found.policy = "not-lru";
    found.confidence = confidence::from_error(independent);
    return;
  }
  for (const std::size_t count : victims) found.way_probability.push_back(static_cast<double>(count) / total);
  const double p_value = analysis::p_value_of_equal_ways(victims);
  // False alarms: equal ways count as unequal once in 10,000 caches, and stay undecided once in 100.
  constexpr double surely_unequal = 1e-4;
  constexpr double plausibly_equal = 1e-2;
  if (p_value < surely_unequal) {
    found.policy = "way-weighted";
    found.confidence = confidence::from_error(p_value);
  } else if (p_value > plausibly_equal) {
    found.policy = "random";
    found.confidence = confidence::cache::random_replacement;
  } else {
    found.reason = "the ways' shares are neither clearly equal nor clearly unequal";
  }
}

/// Groups of the sets that have more than two ways, a few of them.
std::vector<ConflictGroup> groups_of_larger_sets(const Sets& sets, std::int64_t line_bytes, std::int64_t region) {
  constexpr std::size_t enough = 12;  // as the search for groups finds
  const auto lines = lines_by_set(sets, line_bytes, region);
  std::vector<ConflictGroup> groups;
  for (std::size_t set = 0; set < lines.size() && groups.size() < enough; ++set) {
    const std::int64_t ways = sets.set_ways[set];
    if (ways <= 2 || std::ssize(lines[set]) <= ways) continue;
    groups.push_back({.lines = {lines[set].begin(), lines[set].begin() + ways + 1}});
  }
  return groups;
}

/// Those with the most frequent number of ways. Tree-PLRU of two ways is LRU, and a bit for each of two is FIFO, so
/// that groups of two count only where no set is larger.
std::vector<ConflictGroup> groups_of_equal_ways(std::vector<ConflictGroup> groups,
                                                const std::vector<ConflictGroup>& larger) {
  if (!larger.empty()) {
    std::erase_if(groups, [](const ConflictGroup& group) { return group.ways() <= 2; });
    if (groups.size() < larger.size()) groups = larger;
  }
  std::map<std::int64_t, std::vector<ConflictGroup>> by_ways;
  for (ConflictGroup& group : groups) by_ways[group.ways()].push_back(std::move(group));
  return std::ranges::max_element(by_ways, {}, [](const auto& entry) { return entry.second.size(); })->second;
}

}  // namespace

Replacement replacement(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                        std::span<const ConflictGroup> groups, const Sets& sets) {
  if (groups.empty()) return {.reason = "no group of lines that share a set is known"};
  const bool is_small = std::ranges::any_of(groups, [](const ConflictGroup& group) { return group.ways() <= 2; });
  const auto larger =
      is_small ? groups_of_larger_sets(sets, line_bytes, subject.indexed_region()) : std::vector<ConflictGroup>();
  const auto alike = groups_of_equal_ways({groups.begin(), groups.end()}, larger);
  const std::int64_t ways = alike.front().ways();
  Replacement touched_twice;
  if (subject.touches > 1) touched_twice = touched_twice_policy(execute, subject, line_bytes, alike, sets);
  if (!touched_twice.policy.empty()) return touched_twice;
  const auto always_missing = [&] {
    return subject.touches > 1 ? touched_twice : always_missing_policy(execute, subject, line_bytes, alike, sets);
  };

  // A random walk over one line too many misses 2 / (ways + 1) of its loads: this gives 400 victims per way, with which
  // 95 % of random caches are recognized (classify_replacement).
  const std::int64_t trials = std::max<std::int64_t>(32, 400 * ways * (ways + 1) / (4 * timed_loads) + 1);
  std::vector<chase::Program> programs;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    programs.push_back(
        trace_program(subject, alike[static_cast<std::size_t>(trial) % alike.size()], line_bytes, trial));
  }
  const auto results = execute(programs);
  const auto verdicts = classify(subject, results, ways);
  std::map<analysis::Replacement, std::size_t> votes;
  for (const auto& verdict : verdicts.each) ++votes[verdict.policy];
  const auto best = std::ranges::max_element(votes, {}, [](const auto& entry) { return entry.second; });

  Replacement found;
  found.victims = std::accumulate(verdicts.victims.begin(), verdicts.victims.end(), std::size_t{0});
  switch (best->first) {
    case analysis::Replacement::lru_or_fifo: found = always_missing(); break;
    case analysis::Replacement::deterministic:
      if (misses_in_the_end(execute, subject, line_bytes, alike)) {
        found = always_missing();
        break;
      }
      found = deterministic_policy(execute, subject, line_bytes, alike, verdicts, best->second);
      break;
    // One trace may be too short; all together are not.
    case analysis::Replacement::random:
    case analysis::Replacement::way_weighted:
    case analysis::Replacement::inconclusive:
      // Misread loads mix the ways, so that unequal shares look more equal than they are.
      if (misread_loads(subject, verdicts.each, results) > 1) {
        found.reason = "loads are misread so often that lines are mistaken for those of other ways";
      } else {
        weigh_ways(found, verdicts);
      }
      break;
  }
  const bool is_named =
      found.policy == "lru" || found.policy == "fifo" || found.policy == "segmented-lru" || found.policy == "way-order";
  if (!is_named && std::has_single_bit(static_cast<std::uint64_t>(ways))) {
    const std::size_t agreeing = as_tree_plru(execute, subject, line_bytes, alike);
    // Of 12 groups of 16 ways, more than a quarter are spoilt by misread loads once in 18 times if one load in 1,000 is
    // misread, once in 140 of 8 ways.
    if (4 * agreeing >= 3 * alike.size()) {
      found = {.policy = "tree-plru",
               .confidence = analysis::confidence_from_agreement(agreeing, alike.size(), 4),
               .victims = found.victims};
    }
  }
  found.trace = net(results.front());
  return found;
}

}  // namespace tomograph::cache
