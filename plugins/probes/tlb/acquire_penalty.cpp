#include "acquire_penalty.hpp"

#include <algorithm>

#include "acquire_large_walk.hpp"

namespace tomograph::tlb {

namespace {

/// Fewer give too few differences, since the first pass does not count.
constexpr std::int64_t fewest_passes = 4;
/// A standard error from fewer programs is too uncertain; more take longer than is worthwhile. Chosen on an H200.
constexpr std::int64_t fewest_trials = 3;
constexpr std::int64_t most_trials = 8;

/// Which pages are visited how. The first `timed` pages are timed, the others evict them in between.
struct Plan {
  std::int64_t pages = 0;   ///< so many that none of them stays in the level
  std::int64_t timed = 0;   ///< the first of them
  std::int64_t block = 0;   ///< so many of these stay in the level and evict each other from the levels before it
  std::int64_t passes = 0;  ///< by other lines each time; the first does not count
  std::int64_t span = 0;
  std::int64_t line = 0;

  [[nodiscard]] std::int64_t visits() const { return passes * timed; }
};

std::optional<Plan> plan(const Memory& memory, const Organisation& known, std::int64_t most_pages) {
  Plan plan{.span = known.entry_span, .line = memory.line};
  const std::int64_t places = (memory.bytes - memory.spread(plan.span)) / (plan.span + memory.line);
  // Pages beyond the entries: with a hashed index, some sets overflow later than others. Chosen by hand.
  constexpr std::int64_t margin = 8;
  constexpr std::int64_t smaller_margin = 4;
  const std::int64_t enough = 2 * known.entries + margin;
  const std::int64_t fewest = known.entries + known.entries / 2 + smaller_margin;
  plan.pages = std::min({enough, std::max(most_pages, fewest), places, memory.most_visits});
  if (plan.pages < known.entries + known.entries / 4 + 1) return std::nullopt;
  // Each visit is two timed pairs of one program.
  const std::int64_t visits = std::min(memory.most_timed / 4, memory.most_visits);
  plan.timed = std::min(plan.pages, visits / fewest_passes);
  plan.block = std::min(std::max<std::int64_t>(known.entries / 2, 1), plan.timed);
  // The levels before it hold less than half of the evicting pages.
  if (plan.block == 0 || (known.evicting_pages > 0 && 2 * plan.block <= known.evicting_pages)) return std::nullopt;
  plan.timed = plan.timed / plan.block * plan.block;
  const std::int64_t lines = memory.spread(plan.span) / memory.line;
  // Of n visits in a row, no two lines are nearer than 0.38 of an n-th of all (multiples of the golden ratio).
  plan.passes = std::min(visits / plan.timed, lines / 3);
  if (plan.passes < fewest_passes) return std::nullopt;
  return plan;
}

/// Visits of pages that evict each other, then the same visits while the pages stay. The nodes of both lie in one
/// sector.
chase::Program program(const Memory& memory, const Plan& plan, std::int64_t trial) {
  const std::int64_t lines = memory.spread(plan.span) / plan.line;
  const auto line_of = [&](std::int64_t page, std::int64_t pass) {
    return page * plan.span + line_of_visit(pass + (page + trial) * plan.passes, lines) * plan.line;
  };
  const auto add = [](chase::Ring& ring, std::int64_t offset) {
    ring.nodes.push_back(offset);
    ring.nodes.push_back(offset + chase::node_bytes);
  };
  chase::Ring missing;
  for (std::int64_t pass = 0; pass < plan.passes; ++pass) {
    for (std::int64_t page = 0; page < plan.timed; ++page) add(missing, line_of(page, pass));
  }
  chase::Ring hitting;
  for (std::int64_t first = 0; first < plan.timed; first += plan.block) {
    for (std::int64_t pass = 0; pass < plan.passes; ++pass) {
      for (std::int64_t i = 0; i < plan.block; ++i) add(hitting, line_of(first + i, pass) + 2 * chase::node_bytes);
    }
  }
  chase::Program made;
  made.arrays = {{memory.bytes}};
  made.rings = {std::move(missing), std::move(hitting)};
  made.actors = {{.sm = 0, .path = chase::Path::global_cg},
                 {.sm = 0, .path = chase::Path::global_cg, .threads = walkers}};
  made.alone = true;
  made.phases = {{.actor = 1, .ring = 0, .loads = chase::loads_to_pass(2 * plan.visits(), walkers)}};
  const std::int64_t others = plan.pages - plan.timed;
  if (others > 0) {
    made.rings.push_back({.start = plan.timed * plan.span, .stride = plan.span + plan.line, .count = others});
  }
  const chase::Timing each = chase::Timing::each;
  if (others == 0) made.phases.push_back({.actor = 0, .ring = 0, .loads = 2 * plan.visits(), .timing = each});
  for (std::int64_t pass = 0; others > 0 && pass < plan.passes; ++pass) {
    made.phases.push_back({.actor = 1, .ring = 2, .loads = 2 * chase::loads_to_pass(others, walkers)});
    made.phases.push_back(
        {.actor = 0, .ring = 0, .first = 2 * pass * plan.timed, .loads = 2 * plan.timed, .timing = each});
  }
  made.phases.push_back({.actor = 0, .ring = 1, .loads = 2 * plan.visits(), .timing = each});
  return made;
}

/// How much longer each visit took when it missed, first passes left out.
std::vector<double> compare(const Plan& plan, const chase::Result& result) {
  std::vector<double> missing;
  for (std::size_t trace = 0; trace + 1 < result.traces.size(); ++trace) {
    const auto seen = differences(result.traces[trace]);
    missing.insert(missing.end(), seen.begin(), seen.end());
  }
  const auto hitting = differences(result.traces.back());
  std::vector<double> more;
  for (std::int64_t pass = 1; pass < plan.passes; ++pass) {
    for (std::int64_t page = 0; page < plan.timed; ++page) {
      const std::int64_t first = page / plan.block * plan.block;
      const std::int64_t hit = first * plan.passes + pass * plan.block + page - first;
      more.push_back(missing[static_cast<std::size_t>(pass * plan.timed + page)] -
                     hitting[static_cast<std::size_t>(hit)]);
    }
  }
  return more;
}

}  // namespace

std::optional<Penalty> miss_penalty(const Memory& memory, const Organisation& known, std::int64_t most_pages) {
  const auto walks = plan(memory, known, most_pages);
  if (!walks) return std::nullopt;
  std::vector<double> all;
  Penalty found;
  for (std::int64_t trial = 0; trial < most_trials; ++trial) {
    const chase::Program made = program(memory, *walks, trial);
    const auto seen = compare(*walks, memory.execute(std::span(&made, 1)).front());
    all.insert(all.end(), seen.begin(), seen.end());
    found = penalty_of(known.level, all);
    if (trial + 1 >= fewest_trials && found.is_precise()) break;
  }
  return agrees(found) ? std::optional(found) : std::nullopt;
}

}  // namespace tomograph::tlb
