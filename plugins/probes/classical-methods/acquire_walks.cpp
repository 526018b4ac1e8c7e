#include "acquire_walks.hpp"

#include <algorithm>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::classical_methods {
namespace {

constexpr std::int64_t repetitions = 5;        // the median ignores two that were interrupted
constexpr std::int64_t averaged_loads = 4096;  // at least, in each timed walk

/// One untimed round loads the lines; then `loads` are timed.
chase::Program program(const cache::Subject& subject, const Walk& walk, std::int64_t loads, chase::Timing timing) {
  chase::Program program = cache::program_for(subject, walk.bytes);
  const std::int64_t nodes = walk.bytes / walk.stride;
  cache::add_ring(program, {.array = 0, .stride = walk.stride, .count = nodes, .order = walk.order});
  program.phases = {{0, 0, 0, nodes, chase::Timing::untimed}, {0, 0, 0, loads, timing}};
  return program;
}

/// Whole rounds, so that every node counts alike.
std::int64_t loads_of(const Walk& walk) {
  const std::int64_t nodes = walk.bytes / walk.stride;
  return nodes * ((averaged_loads + nodes - 1) / nodes);
}

}  // namespace

std::vector<double> averages(const cache::Executor& execute, const cache::Subject& subject,
                             std::span<const Walk> walks) {
  std::vector<chase::Program> programs;
  for (const Walk& walk : walks) {
    for (std::int64_t trial = 0; trial < repetitions; ++trial) {
      programs.push_back(program(subject, walk, loads_of(walk), chase::Timing::total));
      programs.back().trial = trial;
    }
  }
  const std::vector<chase::Result> results = execute(programs);
  std::vector<double> found;
  for (std::size_t i = 0; i < walks.size(); ++i) {
    std::vector<double> cycles;
    for (std::size_t trial = 0; trial < repetitions; ++trial) {
      const chase::Result& result = results[i * repetitions + trial];
      cycles.push_back((result.totals.front() - result.overhead_total) / static_cast<double>(loads_of(walks[i])));
    }
    found.push_back(analysis::median(cycles));
  }
  return found;
}

std::vector<std::vector<double>> second_rounds(const cache::Executor& execute, const cache::Subject& subject,
                                               std::span<const Walk> walks) {
  std::vector<chase::Program> programs;
  for (const Walk& walk : walks) {
    programs.push_back(program(subject, walk, cache::timed_loads, chase::Timing::each));
  }
  std::vector<std::vector<double>> latencies;
  for (const chase::Result& result : execute(programs)) latencies.push_back(cache::net(result));
  return latencies;
}

Misses count_misses(const cache::Executor& execute, const cache::Subject& subject, const Walk& walk, int rounds) {
  const std::int64_t nodes = walk.bytes / walk.stride;
  std::vector<chase::Program> programs;
  // A program times few loads, so one takes up the walk where the one before ended.
  for (std::int64_t first = 0; first < rounds * nodes; first += cache::timed_loads) {
    chase::Program program = cache::program_for(subject, walk.bytes);
    cache::add_ring(program, {.array = 0, .stride = walk.stride, .count = nodes, .order = walk.order});
    const std::int64_t timed = std::min(cache::timed_loads, rounds * nodes - first);
    program.phases = {{0, 0, 0, filling_rounds * nodes + first, chase::Timing::untimed},
                      {0, 0, first % nodes, timed, chase::Timing::each}};
    programs.push_back(std::move(program));
  }
  Misses seen{std::vector<int>(static_cast<std::size_t>(nodes)), rounds};
  std::size_t load = 0;
  for (const chase::Result& result : execute(programs)) {
    for (const double cycles : cache::net(result)) {
      seen.of_node[load++ % seen.of_node.size()] += cycles > subject.threshold.cycles ? 1 : 0;
    }
  }
  return seen;
}

}  // namespace tomograph::classical_methods
