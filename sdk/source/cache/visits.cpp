#include "visits.hpp"

#include <algorithm>
#include <bit>

#include "overflowing_walks.hpp"
#include "tomograph/analysis/queue_policies.hpp"
#include "tomograph/analysis/tree_plru.hpp"
#include "tomograph/analysis/way_order.hpp"

namespace tomograph::cache {

namespace {

/// Bytes that every sector has at least.
constexpr std::int64_t smallest_sector = 16;

/// Loads of the lines of a group in random order, over and over, timed from the first one on.
struct RandomVisits {
  chase::Program program;
  std::vector<std::int64_t> order;  ///< numbers of lines in the group
};

/// Visits each line through the slots of the smallest sector. A load of another sector would miss even if the line is
/// held.
RandomVisits random_visits(const Subject& subject, const ConflictGroup& group, std::uint64_t seed,
                           std::int64_t line_bytes) {
  constexpr std::int64_t slots = smallest_sector / chase::node_bytes;
  // If one load in 1,000 is misread, 4 % of the groups of 4 ways are spoilt, and 13 % of those of 16.
  constexpr std::int64_t visits = 8;
  const std::int64_t lines = std::ssize(group.lines);
  RandomVisits all{program_for(subject, subject.indexed_region()), {}};
  chase::Ring ring{.array = 0};
  std::vector<std::int64_t> round;
  for (const std::int64_t visit : random_choice(lines * slots, lines * slots, seed)) {
    round.push_back(visit % lines);
    ring.nodes.push_back(group.lines[static_cast<std::size_t>(round.back())] * line_bytes +
                         visit / lines * chase::node_bytes);
  }
  const std::int64_t loads = std::min(visits * lines, timed_loads);
  for (std::int64_t load = 0; load < loads; ++load) {
    all.order.push_back(round[static_cast<std::size_t>(load) % round.size()]);
  }
  add_ring(all.program, std::move(ring));
  all.program.phases = {{0, 0, 0, loads, chase::Timing::each}};
  return all;
}

/// Visits of a group's lines in random order, after walks over all of them. If each load of the walks misses, the set
/// forgets what it held before the program.
struct VisitsAfterWalks {
  chase::Program program;
  std::vector<std::int64_t> order;  ///< numbers of the lines in the group, those of the walks included
  std::size_t visits = 0;           ///< the last ones of `order`, which are timed
};

VisitsAfterWalks visits_after_walks(const Subject& subject, const ConflictGroup& group, std::uint64_t seed,
                                    std::int64_t line_bytes) {
  constexpr std::int64_t walks = 5;             // under tree-PLRU, only the first one may hit; the others are a margin
  constexpr std::int64_t visits_of_a_line = 8;  // as in random_visits
  const std::int64_t lines = std::ssize(group.lines);
  VisitsAfterWalks all{program_for(subject, subject.indexed_region()), {}};
  const std::int64_t loads = walks * lines * subject.touches;
  add_ring(all.program, touching_ring(subject, group.lines, line_bytes));
  all.program.phases = {{0, 0, 0, loads, chase::Timing::untimed}};
  for (std::int64_t load = 0; load < loads; ++load) all.order.push_back(load / subject.touches % lines);
  const std::int64_t visits = std::min(visits_of_a_line * lines, timed_loads);
  for (const std::int64_t visit : random_choice(visits, visits, seed)) {
    all.program.phases.push_back({0, 0, visit % lines * subject.touches, 1, chase::Timing::each});
    all.order.push_back(visit % lines);
  }
  all.visits = static_cast<std::size_t>(visits);
  return all;
}

/// Number of groups of whose random visits `agrees` says that they hit as a policy makes them: called with the lines
/// visited, the ways, and whether each visit hit.
template <typename Agrees>
std::size_t agreeing_groups(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                            std::span<const ConflictGroup> groups, Agrees agrees) {
  std::vector<chase::Program> programs;
  std::vector<std::vector<std::int64_t>> orders;
  for (const ConflictGroup& group : groups) {
    auto visits = random_visits(subject, group, orders.size() + 1, line_bytes);
    programs.push_back(std::move(visits.program));
    orders.push_back(std::move(visits.order));
  }
  const auto results = execute(programs);
  std::size_t agreeing = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::vector<bool> hits;
    for (const std::uint32_t one : results[i].traces.front().latency) hits.push_back(is_hit(subject, results[i], one));
    agreeing += agrees(orders[i], static_cast<std::size_t>(groups[i].ways()), hits) ? 1 : 0;
  }
  return agreeing;
}

}  // namespace

std::vector<std::int64_t> nodes_of(const ConflictGroup& group, std::int64_t line_bytes) {
  std::vector<std::int64_t> nodes;
  for (const std::int64_t line : group.lines) nodes.push_back(line * line_bytes);
  return nodes;
}

std::size_t as_tree_plru(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                         std::span<const ConflictGroup> groups) {
  return agreeing_groups(execute, subject, line_bytes, groups,
                         [](const std::vector<std::int64_t>& order, std::size_t ways, const std::vector<bool>& hits) {
                           bool agrees = false;
                           // The measuring kernel may have left lines of its own in the first ways.
                           for (std::size_t first = 0; first < ways; ++first) {
                             agrees = agrees || hits == analysis::tree_plru_hits(order, ways, first);
                           }
                           return agrees;
                         });
}

std::size_t as_way_order(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                         std::span<const ConflictGroup> groups, std::span<const std::size_t> order) {
  return agreeing_groups(
      execute, subject, line_bytes, groups,
      [order](const std::vector<std::int64_t>& visited, std::size_t ways, const std::vector<bool>& hits) {
        return hits == analysis::way_order_hits(visited, ways, order);
      });
}

Agreement agreement(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                    std::span<const ConflictGroup> groups) {
  std::vector<chase::Program> programs;
  std::vector<VisitsAfterWalks> all;
  for (const ConflictGroup& group : groups) {
    all.push_back(visits_after_walks(subject, group, all.size() + 1, line_bytes));
    programs.push_back(all.back().program);
  }
  const auto results = execute(programs);
  Agreement found;
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::vector<bool> hits;
    for (const auto& trace : results[i].traces) {
      for (const std::uint32_t one : trace.latency) hits.push_back(is_hit(subject, results[i], one));
    }
    const auto ways = static_cast<std::size_t>(groups[i].ways());
    const auto& order = all[i].order;
    const auto agrees = [&](const std::vector<bool>& predicted) {
      return std::equal(hits.begin(), hits.end(), predicted.end() - std::ssize(hits), predicted.end()) ? 1U : 0U;
    };
    found.lru += agrees(analysis::lru_hits(order, ways));
    found.fifo += agrees(analysis::fifo_hits(order, ways));
    for (std::size_t most = 1; subject.touches > 1 && most < ways; ++most) {
      const std::size_t agreeing = agrees(analysis::segmented_lru_hits(order, ways, most));
      if (agreeing > 0) found.segmented_lru[most] += agreeing;
    }
    if (std::has_single_bit(ways)) found.tree_plru += agrees(analysis::tree_plru_hits_when_full(order, ways));
  }
  return found;
}

}  // namespace tomograph::cache
