#include "penalty.hpp"

#include <algorithm>

#include "biweight.hpp"

namespace tomograph::tlb {

namespace {

constexpr std::int64_t walkers = 32;
constexpr std::int64_t fewest_passes = 4;
constexpr std::int64_t fewest_trials = 3;
constexpr std::int64_t most_trials = 8;
/// Relative standard error that is good enough.
constexpr double precise = 0.0025;

/// Which pages are visited how. Those `at_hand` are timed, others come between to push them out.
struct Plan {
  std::int64_t pages = 0;    ///< so many that none of them stays in the level
  std::int64_t at_hand = 0;  ///< the first of them
  std::int64_t block = 0;    ///< of these, so many stay in the level and push each other out of those before it
  std::int64_t passes = 0;   ///< by other lines each time; the first does not count
  std::int64_t span = 0;
  std::int64_t line = 0;

  [[nodiscard]] std::int64_t visits() const { return passes * at_hand; }
};

std::optional<Plan> plan(const Memory& memory, const Organisation& known, std::int64_t most_pages) {
  Plan plan{.span = known.entry_span, .line = memory.line};
  const std::int64_t places = (memory.bytes - spread(plan.span)) / (plan.span + memory.line);
  const std::int64_t enough = 2 * known.entries + 8;
  const std::int64_t fewest = known.entries + known.entries / 2 + 4;
  plan.pages = std::min({enough, std::max(most_pages, fewest), places, memory.most_visits});
  if (plan.pages < known.entries + known.entries / 4 + 1) return std::nullopt;
  // Each visit is two timed pairs of one program.
  const std::int64_t visits = std::min(memory.most_timed / 4, memory.most_visits);
  plan.at_hand = std::min(plan.pages, visits / fewest_passes);
  plan.block = std::min(std::max<std::int64_t>(known.entries / 2, 1), plan.at_hand);
  // The levels before it hold less than half of the fillers.
  if (plan.block == 0 || (known.fillers > 0 && 2 * plan.block <= known.fillers)) return std::nullopt;
  plan.at_hand = plan.at_hand / plan.block * plan.block;
  const std::int64_t lines = spread(plan.span) / memory.line;
  plan.passes = std::min(visits / plan.at_hand, lines);
  if (plan.passes < fewest_passes) return std::nullopt;
  return plan;
}

/// Loads by which threads that begin evenly spaced pass a ring once: each as far as where the next one began, at least.
std::int64_t once(std::int64_t nodes) { return (nodes + walkers - 1) / walkers * walkers; }

/// Pages of which other ones push each other out, then the same visits while they stay. Nodes of both lie in one
/// sector.
chase::Program program(const Memory& memory, const Plan& plan, std::int64_t trial) {
  const std::int64_t lines = spread(plan.span) / plan.line;
  const auto line_of = [&](std::int64_t page, std::int64_t pass) {
    return page * plan.span + (pass + (page + trial) * plan.passes) % lines * plan.line;
  };
  const auto add = [](chase::Ring& ring, std::int64_t offset) {
    ring.nodes.push_back(offset);
    ring.nodes.push_back(offset + chase::node_bytes);
  };
  chase::Ring missing;
  for (std::int64_t pass = 0; pass < plan.passes; ++pass) {
    for (std::int64_t page = 0; page < plan.at_hand; ++page) add(missing, line_of(page, pass));
  }
  chase::Ring hitting;
  for (std::int64_t first = 0; first < plan.at_hand; first += plan.block) {
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
  made.phases = {{.actor = 1, .ring = 0, .loads = once(2 * plan.visits())}};
  const std::int64_t others = plan.pages - plan.at_hand;
  if (others > 0) {
    made.rings.push_back({.start = plan.at_hand * plan.span, .stride = plan.span + plan.line, .count = others});
  }
  const chase::Timing each = chase::Timing::each;
  if (others == 0) made.phases.push_back({.actor = 0, .ring = 0, .loads = 2 * plan.visits(), .timing = each});
  for (std::int64_t pass = 0; others > 0 && pass < plan.passes; ++pass) {
    made.phases.push_back({.actor = 1, .ring = 2, .loads = 2 * once(others)});
    made.phases.push_back(
        {.actor = 0, .ring = 0, .first = 2 * pass * plan.at_hand, .loads = 2 * plan.at_hand, .timing = each});
  }
  made.phases.push_back({.actor = 0, .ring = 1, .loads = 2 * plan.visits(), .timing = each});
  return made;
}

/// By how much each visit that counts took longer when it missed.
std::vector<double> compare(const Plan& plan, const chase::Result& result) {
  std::vector<double> missing;
  for (std::size_t trace = 0; trace + 1 < result.traces.size(); ++trace) {
    const auto seen = differences(result.traces[trace]);
    missing.insert(missing.end(), seen.begin(), seen.end());
  }
  const auto hitting = differences(result.traces.back());
  std::vector<double> more;
  for (std::int64_t pass = 1; pass < plan.passes; ++pass) {
    for (std::int64_t page = 0; page < plan.at_hand; ++page) {
      const std::int64_t first = page / plan.block * plan.block;
      const std::int64_t hit = first * plan.passes + pass * plan.block + page - first;
      more.push_back(missing[static_cast<std::size_t>(pass * plan.at_hand + page)] -
                     hitting[static_cast<std::size_t>(hit)]);
    }
  }
  return more;
}

}  // namespace

std::optional<Penalty> miss_penalty(const Memory& memory, const Organisation& known, std::int64_t most_pages) {
  const auto walks = plan(memory, known, most_pages);
  if (!walks) return std::nullopt;
  const double expected = known.level.miss - known.level.hit;
  constexpr double deviations = 8;
  const double near = std::max(deviations * known.level.noise, expected / 4);
  std::vector<double> more;
  analysis::Bulk bulk;
  for (std::int64_t trial = 0; trial < most_trials; ++trial) {
    const chase::Program made = program(memory, *walks, trial);
    const auto seen = compare(*walks, memory.execute(std::span(&made, 1)).front());
    more.insert(more.end(), seen.begin(), seen.end());
    bulk = analysis::bulk_near(more, expected, near);
    if (trial + 1 >= fewest_trials && bulk.share > 0 && bulk.deviation < precise * bulk.location) break;
  }
  constexpr double least_share = 0.25;
  if (bulk.share < least_share) return std::nullopt;
  return Penalty{bulk.location, bulk.deviation, bulk.share, std::move(more)};
}

}  // namespace tomograph::tlb
