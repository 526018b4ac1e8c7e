#include "tomograph/cache/retention.hpp"

#include <algorithm>
#include <cmath>

namespace tomograph::cache {

namespace {

constexpr std::int64_t wide_threads = 1024;

/// A program that walks the footprint and then times the nodes in `chosen`, given by their place in the visit.
chase::Program program_of(const Subject& subject, const Footprint& footprint, const std::vector<std::int64_t>& offsets,
                          std::span<const std::int64_t> chosen) {
  chase::Program program = program_for(subject, footprint.bytes);
  const std::int64_t walk = add_ring(program, footprint.ring);
  chase::Ring sample{.array = 0};
  for (const std::int64_t node : chosen) {
    sample.nodes.push_back(offsets[static_cast<std::size_t>(node)] + sample_offset);
  }
  const std::int64_t tested = add_ring(program, std::move(sample));
  std::int64_t walker = 0;
  // A large shared cache takes too long to fill by one chain of dependent loads.
  if (subject.shared && footprint.ring.size() >= 4 * wide_threads) {
    program.actors.push_back({subject.sm, subject.path, wide_threads});
    walker = 1;
  }
  program.phases = {{walker, walk, 0, footprint.passes * footprint.ring.size(), chase::Timing::untimed},
                    {0, tested, 0, static_cast<std::int64_t>(chosen.size()), chase::Timing::each}};
  return program;
}

/// A program that walks the footprint and then times two more walks.
chase::Program steady_program(const Subject& subject, const Footprint& footprint) {
  chase::Program program = program_for(subject, footprint.bytes);
  const std::int64_t walk = add_ring(program, footprint.ring);
  const std::int64_t nodes = footprint.ring.size();
  program.phases = {{0, walk, 0, footprint.passes * nodes, chase::Timing::untimed},
                    {0, walk, 0, 2 * nodes, chase::Timing::each}};
  return program;
}

/// Whether all nodes are tested, the walk is its own test, and its record does not take much shared memory.
bool is_steady(const Subject& subject, const Footprint& footprint) {
  const std::int64_t most = subject.path == chase::Path::constant ? timed_loads_shared / 2 : timed_loads;
  return subject.disturbed && footprint.share == 1 && 2 * footprint.ring.size() <= most;
}

void append_programs(std::vector<chase::Program>& programs, const Subject& subject, const Footprint& footprint) {
  const auto offsets = chase::node_offsets(footprint.ring);
  const auto nodes = static_cast<std::int64_t>(offsets.size());
  const auto share = static_cast<std::int64_t>(footprint.share * static_cast<double>(nodes));
  const auto each =
      static_cast<std::size_t>(std::clamp<std::int64_t>(share, 1, subject.shared ? timed_loads_shared : timed_loads));
  std::int64_t trial = 0;
  if (is_steady(subject, footprint)) {
    for (; trial < footprint.repeats; ++trial) {
      programs.push_back(steady_program(subject, footprint));
      programs.back().trial = trial;
    }
    return;
  }
  for (std::int64_t repeat = 0; repeat < footprint.repeats; ++repeat) {
    const auto chosen = random_choice(nodes, std::min(footprint.samples, nodes),
                                      footprint.seed * 1000 + static_cast<std::uint64_t>(repeat));
    for (std::size_t first = 0; first < chosen.size(); first += each) {
      const auto count = std::min(each, chosen.size() - first);
      programs.push_back(program_of(subject, footprint, offsets, std::span(chosen).subspan(first, count)));
      programs.back().trial = trial++;
    }
  }
}

}  // namespace

double Retained::estimate() const {
  return sampled == 0 ? 0 : static_cast<double>(nodes) * static_cast<double>(hits) / static_cast<double>(sampled);
}

double Retained::standard_error() const {
  if (sampled == 0 || sampled >= nodes) return 0;
  const auto n = static_cast<double>(sampled);
  // Half a hit more keeps the error of an all-hit or all-miss sample above 0.
  const double share = (static_cast<double>(hits) + 0.5) / (n + 1);
  const double finite = 1 - n / static_cast<double>(nodes);
  return static_cast<double>(nodes) * std::sqrt(share * (1 - share) / n * finite);
}

std::vector<Retained> retained(const Executor& execute, const Subject& subject, std::span<const Footprint> footprints) {
  std::vector<chase::Program> programs;
  std::vector<std::size_t> owner;
  for (std::size_t i = 0; i < footprints.size(); ++i) {
    append_programs(programs, subject, footprints[i]);
    owner.resize(programs.size(), i);
  }
  std::vector<Retained> seen(footprints.size());
  for (std::size_t i = 0; i < footprints.size(); ++i) seen[i].nodes = footprints[i].ring.size();
  const auto results = execute(programs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    Retained& mine = seen[owner[i]];
    const auto latencies = net(results[i]);
    const auto skipped = is_steady(subject, footprints[owner[i]]) ? latencies.size() / 2 : 0;
    for (const double latency : std::span(latencies).subspan(skipped)) {
      ++mine.sampled;
      mine.hits += latency <= subject.threshold.cycles ? 1 : 0;
      mine.latencies.push_back(latency);
    }
  }
  return seen;
}

}  // namespace tomograph::cache
