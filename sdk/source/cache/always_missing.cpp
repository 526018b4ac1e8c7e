#include "always_missing.hpp"

#include <algorithm>
#include <map>

#include "overflowing_walks.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/proportion.hpp"
#include "visits.hpp"

namespace tomograph::cache {

namespace {

/// Loads all lines but the last, then the first one again, then the last, and times line `tested`.
chase::Program touch_again_program(const Subject& subject, const ConflictGroup& group, std::int64_t line_bytes,
                                   std::size_t tested) {
  chase::Program program = program_for(subject, subject.indexed_region());
  auto nodes = nodes_of(group, line_bytes);
  nodes.insert(nodes.end() - 1, nodes.front() + chase::node_bytes);
  const auto loads = static_cast<std::int64_t>(nodes.size());
  add_ring(program, {.array = 0, .nodes = std::move(nodes)});
  program.phases = {{0, 0, 0, loads, chase::Timing::untimed},
                    {0, 0, static_cast<std::int64_t>(tested), 1, chase::Timing::each}};
  return program;
}

/// LRU keeps the line touched again and evicts the second; FIFO evicts the first all the same.
std::string touched_again_policy(const Subject& subject, std::span<const chase::Result> pair) {
  const bool first = is_hit(subject, pair[0], pair[0].traces.front().latency.front());
  const bool second = is_hit(subject, pair[1], pair[1].traces.front().latency.front());
  return first && !second ? "lru" : !first && second ? "fifo" : "not-lru";
}

/// Nodes of walks that load each line twice: one walk after the other or, if the subject touches lines twice, both
/// loads at once. Then no line of earlier programs stays protected.
std::vector<std::int64_t> loaded_twice(const Subject& subject, std::span<const std::int64_t> lines,
                                       std::int64_t line_bytes) {
  if (subject.touches > 1) return touching_ring(subject, lines, line_bytes).nodes;
  std::vector<std::int64_t> nodes;
  for (const std::int64_t offset : {std::int64_t{0}, chase::node_bytes}) {
    for (const std::int64_t line : lines) nodes.push_back(line * line_bytes + offset);
  }
  return nodes;
}

/// Loads as many lines as there are ways twice, then as many others once, and times line `tested` of the former.
chase::Program newcomers_program(const Subject& subject, std::span<const std::int64_t> lines, std::int64_t ways,
                                 std::int64_t line_bytes, std::int64_t tested) {
  chase::Program program = program_for(subject, subject.indexed_region());
  const auto known = lines.first(static_cast<std::size_t>(ways));
  chase::Ring walk{.array = 0, .nodes = loaded_twice(subject, known, line_bytes)};
  for (const std::int64_t line : lines.subspan(static_cast<std::size_t>(ways), static_cast<std::size_t>(ways))) {
    walk.nodes.push_back(line * line_bytes);
  }
  const auto loads = static_cast<std::int64_t>(walk.nodes.size());
  add_ring(program, std::move(walk));
  program.phases = {{0, 0, 0, loads, chase::Timing::untimed}, {0, 0, tested * subject.touches, 1, chase::Timing::each}};
  return program;
}

/// The most frequent value and how often it was seen.
template <typename Value>
std::pair<Value, std::size_t> majority(const std::map<Value, std::size_t>& votes) {
  return *std::ranges::max_element(votes, {}, [](const auto& entry) { return entry.second; });
}

template <typename Value>
std::size_t total(const std::map<Value, std::size_t>& votes) {
  std::size_t all = 0;
  for (const auto& [value, times] : votes) all += times;
  return all;
}

/// Number of lines that were used again and survive as many new lines as there are ways, with the sets that show it.
/// Empty if no set has enough lines within a page.
std::map<std::int64_t, std::size_t> survivors(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                                              std::int64_t ways, const Sets& sets) {
  constexpr std::size_t tested_sets = 8;  // if all agree, wrong with 8e-6 for 4 ways (confidence_from_agreement)
  const auto lines = lines_by_set(sets, line_bytes, subject.indexed_region());
  std::vector<chase::Program> programs;
  for (std::size_t set = 0; set < lines.size() && programs.size() < tested_sets * static_cast<std::size_t>(ways);
       ++set) {
    if (sets.set_ways[set] != ways || lines[set].size() < static_cast<std::size_t>(2 * ways)) continue;
    for (std::int64_t tested = 0; tested < ways; ++tested) {
      programs.push_back(newcomers_program(subject, lines[set], ways, line_bytes, tested));
    }
  }
  const auto results = execute(programs);
  std::map<std::int64_t, std::size_t> votes;
  for (std::size_t first = 0; first < results.size(); first += static_cast<std::size_t>(ways)) {
    const auto own = std::span(results).subspan(first, static_cast<std::size_t>(ways));
    ++votes[std::ranges::count_if(own, [&](const chase::Result& result) {
      return is_hit(subject, result, result.traces.front().latency.front());
    })];
  }
  return votes;
}

/// An overflowing walk treats the lines of a full set under tree-PLRU, and under others that nobody has named, as under
/// LRU or FIFO. Visits in random order do not.
Replacement confirmed(Replacement found, const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                      std::span<const ConflictGroup> groups) {
  const Agreement agreeing = agreement(execute, subject, line_bytes, groups);
  const std::size_t own = found.policy == "lru" ? agreeing.lru : agreeing.fifo;
  // Misread loads spoil at most 13 % of the groups (visits.cpp), and another policy agrees in hardly any: half decides.
  if (2 * own >= groups.size()) {
    found.confidence = std::min(found.confidence, analysis::confidence_from_agreement(own, groups.size(), 4));
  } else if (2 * agreeing.tree_plru >= groups.size()) {
    found.policy = "tree-plru";
    found.confidence = analysis::confidence_from_agreement(agreeing.tree_plru, groups.size(), 4);
  } else {
    found.policy = "not-lru";
    found.confidence = analysis::confidence_from_agreement(groups.size() - own, groups.size(), 3);
  }
  return found;
}

}  // namespace

Replacement always_missing_policy(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                                  std::span<const ConflictGroup> groups, const Sets& sets) {
  const std::int64_t ways = groups.front().ways();
  if (ways < 2) return {.reason = "sets of one way have no policy"};
  std::vector<chase::Program> programs;
  for (const ConflictGroup& group : groups) {
    programs.push_back(touch_again_program(subject, group, line_bytes, 0));
    programs.push_back(touch_again_program(subject, group, line_bytes, 1));
  }
  const auto results = execute(programs);
  std::map<std::string, std::size_t> votes;
  for (std::size_t i = 0; i < results.size(); i += 2) {
    ++votes[touched_again_policy(subject, std::span(results).subspan(i, 2))];
  }
  const auto [policy, agreeing] = majority(votes);
  Replacement found{.policy = policy, .confidence = analysis::confidence_from_agreement(agreeing, groups.size(), 4)};
  if (policy == "fifo") return confirmed(found, execute, subject, line_bytes, groups);
  if (policy != "lru") return found;
  const auto survived = survivors(execute, subject, line_bytes, ways, sets);
  if (survived.empty()) {
    found.confidence = confidence::cache::lru_without_survivors;
    return confirmed(found, execute, subject, line_bytes, groups);
  }
  const auto [count, sets_agreeing] = majority(survived);
  const double of_survivors =
      analysis::confidence_from_agreement(sets_agreeing, total(survived), static_cast<std::size_t>(ways));
  found.confidence = std::min(found.confidence, of_survivors);
  if (count == 0) return confirmed(found, execute, subject, line_bytes, groups);
  found.policy = "segmented-lru";
  found.protected_ways = count;
  return found;
}

Replacement touched_twice_policy(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                                 std::span<const ConflictGroup> groups, const Sets& sets) {
  const std::int64_t ways = groups.front().ways();
  if (ways < 2) return {.reason = "sets of one way have no policy"};
  const Agreement agreeing = agreement(execute, subject, line_bytes, groups);
  const auto predicts = [&](std::size_t own) { return 2 * own >= groups.size(); };  // as above
  const auto confidence_of = [&](std::size_t own) {
    return analysis::confidence_from_agreement(own, groups.size(), static_cast<std::size_t>(ways));
  };
  if (predicts(agreeing.fifo)) return {.policy = "fifo", .confidence = confidence_of(agreeing.fifo)};
  const auto survived = survivors(execute, subject, line_bytes, ways, sets);
  if (survived.empty()) return {.reason = "too few lines share a set to tell LRU from segmented LRU"};
  const auto [count, sets_agreeing] = majority(survived);
  const auto segmented = agreeing.segmented_lru.find(static_cast<std::size_t>(count));
  const std::size_t of_segmented = segmented == agreeing.segmented_lru.end() ? 0 : segmented->second;
  const std::size_t own = count == 0 ? agreeing.lru : of_segmented;
  if (!predicts(own)) return {.reason = "visits are neither those of LRU nor of FIFO nor of segmented LRU"};
  const double of_survivors =
      analysis::confidence_from_agreement(sets_agreeing, total(survived), static_cast<std::size_t>(ways));
  return {.policy = count == 0 ? "lru" : "segmented-lru",
          .confidence = std::min(confidence_of(own), of_survivors),
          .protected_ways = count};
}

}  // namespace tomograph::cache
