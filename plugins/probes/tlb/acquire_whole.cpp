#include "acquire_whole.hpp"

#include <algorithm>

#include "acquire_large_walk.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/session.hpp"
#include "tomograph/tlb/eviction.hpp"

namespace tomograph::tlb {

namespace {

/// Successive entries, wherever the array begins in one: those that are tested, those that evict them from the levels
/// before, and those that evict everything from the level.
struct Parts {
  std::int64_t tested = 0;
  std::int64_t between = 0;
  std::int64_t others = 0;
};

std::optional<Parts> parts_of(const Memory& memory, const Organisation& known) {
  // Few, so that they and those between stay where victims are random.
  constexpr std::int64_t most = 16;
  Parts parts{.tested = std::min((known.entries - known.evicting_pages) / 2, most), .between = known.evicting_pages};
  const std::int64_t places = memory.places(known.entry_span);
  // As few as evict everything, since L2 must hold the tested lines beside theirs.
  const std::int64_t enough = known.entries + known.entries / 4 + 1;
  parts.others = std::min(std::max(enough, memory.most_visits / 2), 2 * known.entries);
  constexpr std::int64_t fewest = 3;  // the medians of two must be misread to hide misses: 2e-4 (see fewest_programs)
  if (parts.tested < fewest || parts.tested + parts.between + parts.others > places) return std::nullopt;
  return parts;
}

/// One node in each of `count` entries from number `first` on, `offset` bytes behind its start.
chase::Ring ring(const Memory& memory, const Organisation& known, std::int64_t first, std::int64_t count,
                 std::int64_t offset) {
  const std::int64_t lines = std::max<std::int64_t>(memory.spread(known.entry_span / 4) / memory.line, 1);
  chase::Ring made;
  for (std::int64_t entry = first; entry < first + count; ++entry) {
    made.nodes.push_back(entry * known.entry_span + line_of_visit(entry, lines) * memory.line + offset);
  }
  return made;
}

/// What is passed before the second halves of tested entries are timed.
struct Passed {
  /// The first halves. Without them, it shows whether the walk over the others evicts the tested entries.
  bool first_halves = true;
  /// Pages in between, which evict from the levels before, in both halves: where entries there serve a half each.
  bool both_halves_between = false;
};

chase::Program program(const Memory& memory, const Organisation& known, const Parts& parts, std::int64_t trial,
                       Passed passed) {
  const std::int64_t half = known.entry_span / 2;
  chase::Program made;
  made.arrays = {{memory.bytes}};
  made.actors = {{.sm = 0, .path = chase::Path::global_cg},
                 {.sm = 0, .path = chase::Path::global_cg, .threads = walkers}};
  made.alone = true;
  made.trial = trial;
  const auto walk = [&](chase::Ring nodes, std::int64_t times) {
    const std::int64_t loads = times * chase::loads_to_pass(std::ssize(nodes.nodes), walkers);
    made.phases.push_back({.actor = 1, .ring = std::ssize(made.rings), .loads = loads});
    made.rings.push_back(std::move(nodes));
  };
  walk(ring(memory, known, 0, parts.tested, half + 2 * chase::node_bytes), 2);
  walk(ring(memory, known, parts.tested + parts.between, parts.others, 0),
       walks_that_evict(known.entries, std::max(parts.others, known.entries + 1)));
  if (passed.first_halves) walk(ring(memory, known, 0, parts.tested, 0), 1);
  if (parts.between > 0) walk(ring(memory, known, parts.tested, parts.between, 0), 1);
  if (parts.between > 0 && passed.both_halves_between) {
    walk(ring(memory, known, parts.tested, parts.between, half), 1);
  }
  chase::Ring pairs;
  for (const std::int64_t node : ring(memory, known, 0, parts.tested, half).nodes) {
    pairs.nodes.push_back(node);
    pairs.nodes.push_back(node + chase::node_bytes);
  }
  made.phases.push_back(
      {.actor = 0, .ring = std::ssize(made.rings), .loads = std::ssize(pairs.nodes), .timing = chase::Timing::each});
  made.rings.push_back(std::move(pairs));
  return made;
}

/// Visits of the second halves of the tested entries, one of each in each program.
std::vector<std::vector<double>> second_halves(const Memory& memory, const Organisation& known, const Parts& parts,
                                               Passed passed) {
  // If one visit in ten is misread, the median of five programs is in 0.9 % of the cases (binomial).
  constexpr std::int64_t fewest_programs = 5;
  std::vector<chase::Program> programs;
  for (std::int64_t trial = 0; trial < std::max(fewest_programs, known.level.passes()); ++trial) {
    programs.push_back(program(memory, known, parts, trial, passed));
  }
  std::vector<std::vector<double>> seen(static_cast<std::size_t>(parts.tested));
  for (const chase::Result& result : memory.execute(programs)) {
    const auto extra = differences(result.traces.front());
    for (std::size_t page = 0; page < seen.size(); ++page) seen[page].push_back(extra[page]);
  }
  return seen;
}

/// Whether mostly a level before served these visits.
bool were_served_before(const Level& level, const std::vector<std::vector<double>>& seen) {
  std::vector<double> all;
  for (const auto& cycles : seen) all.insert(all.end(), cycles.begin(), cycles.end());
  return analysis::median(all) < level.asked_from;
}

std::int64_t missing_of(const Level& level, const std::vector<std::vector<double>>& seen) {
  return std::ranges::count_if(seen, [&](const auto& cycles) { return analysis::median(cycles) > level.threshold(); });
}

/// Whether the walk over the others evicts most tested entries: some policies keep what hit once. True if a device
/// refuses to tell: recordings may not know it.
bool are_evicted(const Memory& memory, const Organisation& known, const Parts& parts, Passed passed) {
  passed.first_halves = false;
  try {
    const auto seen = second_halves(memory, known, parts, passed);
    return 2 * missing_of(known.level, seen) > parts.tested;
  } catch (const Refused&) {
    return true;
  }
}

}  // namespace

std::optional<bool> brings_whole_entry(const Memory& memory, const Organisation& known) {
  const auto parts = parts_of(memory, known);
  if (!parts) return std::nullopt;
  Passed passed;
  auto seen = second_halves(memory, known, *parts, passed);
  const bool may_be_left = were_served_before(known.level, seen);
  passed.both_halves_between = may_be_left;
  if (may_be_left) seen = second_halves(memory, known, *parts, passed);
  // A level before that lets new entries leave first keeps the tested ones, whatever is passed in between.
  if (may_be_left && were_served_before(known.level, seen)) return std::nullopt;
  const std::int64_t missed = missing_of(known.level, seen);
  // All miss, or none, but for the last one, whose half may lie in the entry behind it, and for at most a
  // quarter whose lines L2 does not hold, or that pages in between replaced.
  const std::int64_t few = std::max<std::int64_t>(parts->tested / 4, 1);
  if (missed <= few) return are_evicted(memory, known, *parts, passed) ? std::optional(true) : std::nullopt;
  return missed + few >= parts->tested ? std::optional(false) : std::nullopt;
}

}  // namespace tomograph::tlb
