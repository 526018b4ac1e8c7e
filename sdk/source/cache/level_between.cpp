#include "level_between.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tomograph/analysis/clock_step.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/cache/hit_and_miss.hpp"
#include "tomograph/session.hpp"

namespace tomograph::cache {

namespace {

constexpr std::int64_t node_spacing = 128;                    // any line size will do
constexpr std::int64_t longest_walk = std::int64_t{8} << 20;  // the largest L1 today has 256 KiB
constexpr std::int64_t threads_of_others = 32;                // a warp, so that they take little time

/// Times first loads of lines that `beyond` has brought into the next level, and loads of the same lines after walks
/// over `bytes`. At first other lines take the places of any that earlier programs left between. Ascending, so that a
/// TLB of small pages misses seldom.
chase::Program walk_program(const Subject& subject, chase::Path beyond, std::int64_t bytes) {
  const std::int64_t lines = bytes / node_spacing;
  const std::int64_t timed = std::min(timed_loads, lines / 2);
  chase::Program program = program_for(subject, bytes + longest_walk);
  program.actors.push_back({subject.sm, beyond, 1});
  program.actors.push_back({subject.sm, subject.path, threads_of_others});
  const std::int64_t walk = add_ring(program, {0, 0, node_spacing, lines});
  const std::int64_t bringing = add_ring(program, {0, sample_offset, node_spacing, timed});
  const std::int64_t others = add_ring(program, {0, bytes, node_spacing, longest_walk / node_spacing});
  program.phases = {{2, others, 0, longest_walk / node_spacing, chase::Timing::untimed},
                    {1, bringing, 0, 2 * timed, chase::Timing::untimed},
                    {0, walk, 0, timed, chase::Timing::each},
                    {0, walk, timed, 2 * lines - timed, chase::Timing::untimed},
                    {0, walk, 0, timed, chase::Timing::each}};
  return program;
}

/// Loads that take longer than nearly all hits.
std::vector<double> longer_than(std::span<const double> hits, const std::vector<double>& loads) {
  constexpr double nearly_all = 0.95;  // fewer are delayed; half of the loads never are by chance
  const double slowest = analysis::quantile(hits, nearly_all) + analysis::clock_step(hits);
  std::vector<double> longer;
  std::ranges::copy_if(loads, std::back_inserter(longer), [&](double cycles) { return cycles > slowest; });
  return longer;
}

/// The loads of the shortest walk of which most miss the subject, and first loads of the same lines.
struct Missing {
  std::vector<double> loads;
  std::vector<double> first;
};

Missing missing_walk(const Executor& execute, const Subject& subject, chase::Path beyond,
                     std::span<const double> hits) {
  for (std::int64_t bytes = 2 * small_footprint; bytes <= longest_walk; bytes *= 2) {
    const chase::Program program = walk_program(subject, beyond, bytes);
    const auto result = execute({&program, 1}).front();
    const auto loads = net(result, 1);
    Missing found{longer_than(hits, loads), net(result, 0)};
    if (2 * found.loads.size() > loads.size()) return found;
  }
  return {};
}

}  // namespace

std::optional<LevelBetween> level_between(const Executor& execute, const Subject& subject, chase::Path beyond,
                                          std::span<const double> hits) {
  try {
    Missing missing = missing_walk(execute, subject, beyond, hits);
    if (!analysis::threshold_between(missing.loads, missing.first)) return std::nullopt;
    const auto threshold = analysis::threshold_between(hits, missing.loads);
    if (!threshold) return std::nullopt;
    return LevelBetween{std::move(missing.loads), *threshold};
  } catch (const Refused&) {
    return std::nullopt;
  }
}

}  // namespace tomograph::cache
