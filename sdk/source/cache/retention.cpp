#include "tomograph/cache/retention.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace tomograph::cache {

namespace {

constexpr std::int64_t wide_threads = 1024;  // the largest CTA of any known GPU
/// Where a line's second node is, if not in its middle: in the same sector of 32 B as the first.
constexpr std::int64_t second_node = retained_distance / 2;

/// The ring with two nodes in each line. A line that is loaded twice in a row counts as used again, whatever the
/// policy: otherwise lines that the tests' nodes brought in before the program started might stay and the others leave.
chase::Ring twice(const chase::Ring& ring) {
  chase::Ring walked = ring;
  if (ring.nodes.empty()) {
    if (ring.stride < 2 * second_node) return ring;
    walked.stride = ring.stride / 2;
    walked.count = 2 * ring.count;
    return walked;
  }
  walked.nodes.clear();
  walked.nodes.reserve(2 * ring.nodes.size());
  for (const std::int64_t node : ring.nodes) walked.nodes.insert(walked.nodes.end(), {node, node + second_node});
  return walked;
}

/// Nodes to be timed by one program: those of each of its repeats.
using Repeats = std::vector<std::span<const std::int64_t>>;

/// Where a line is tested, from its start on. Threads that walk together may evict a line between its two nodes, so
/// that the sector of the second one alone is there.
std::int64_t tested_place(const chase::Ring& ring) {
  return ring.nodes.empty() && ring.stride >= 2 * second_node ? ring.stride / 2 : 0;
}

/// The nodes of all repeats, tested `place` bytes behind their offsets. A node that is tested again is read at another
/// slot of its sector; a node that has none left is left out. `counts` are the nodes that remain of each repeat.
chase::Ring sample_ring(const std::vector<std::int64_t>& offsets, std::int64_t place, const Repeats& repeats,
                        std::vector<std::int64_t>& counts) {
  constexpr std::array slots{sample_offset, second_node + sample_offset};
  chase::Ring sample{.array = 0};
  std::size_t most = 0;
  for (const auto& chosen : repeats) most += chosen.size();
  sample.nodes.reserve(most);
  std::vector<std::uint8_t> used(offsets.size());
  for (const auto& chosen : repeats) {
    const auto before = sample.size();
    for (const std::int64_t node : chosen) {
      std::uint8_t& slot = used[static_cast<std::size_t>(node)];
      if (slot == slots.size()) continue;
      sample.nodes.push_back(offsets[static_cast<std::size_t>(node)] + place + slots[slot++]);
    }
    counts.push_back(sample.size() - before);
  }
  return sample;
}

/// A program that walks the footprint, as `walked`, and then times the nodes of each repeat, given by their place in
/// the visit, with one more walk between two repeats.
chase::Program program_of(const Subject& subject, const Footprint& footprint, const chase::Ring& walked,
                          const std::vector<std::int64_t>& offsets, const Repeats& repeats) {
  chase::Program program = program_for(subject, footprint.bytes);
  const std::int64_t walk = add_ring(program, walked);
  // A large shared cache takes too long to fill by one chain of dependent loads.
  const bool is_wide = subject.shared && walked.size() >= 4 * wide_threads;
  if (is_wide) program.actors.push_back({subject.sm, subject.path, wide_threads});
  const std::int64_t walker = is_wide ? 1 : 0;
  std::vector<std::int64_t> counts;
  const std::int64_t tested =
      add_ring(program, sample_ring(offsets, is_wide ? tested_place(footprint.ring) : 0, repeats, counts));
  std::int64_t first = 0;
  for (const std::int64_t count : counts) {
    if (count == 0) continue;
    const std::int64_t walks = first == 0 ? footprint.passes : 1;
    program.phases.push_back({walker, walk, 0, walks * walked.size(), chase::Timing::untimed});
    program.phases.push_back({0, tested, first, count, chase::Timing::each});
    first += count;
  }
  return program;
}

/// A program that walks the footprint, as `walked`, and then times two more walks.
chase::Program steady_program(const Subject& subject, const Footprint& footprint, const chase::Ring& walked,
                              const std::vector<std::int64_t>& offsets) {
  chase::Program program = program_for(subject, footprint.bytes);
  const std::int64_t walk = add_ring(program, walked);
  chase::Ring timed{.array = 0};
  for (const std::int64_t node : offsets) timed.nodes.push_back(node + sample_offset);
  const std::int64_t tested = add_ring(program, std::move(timed));
  program.phases = {{0, walk, 0, footprint.passes * walked.size(), chase::Timing::untimed},
                    {0, tested, 0, 2 * std::ssize(offsets), chase::Timing::each}};
  return program;
}

/// Whether all nodes are tested, the walk is its own test, and its record does not take much shared memory.
bool is_steady(const Subject& subject, const Footprint& footprint) {
  const std::int64_t most = subject.path == chase::Path::constant ? subject.most_timed / 2 : timed_loads;
  return subject.disturbed && footprint.share == 1 && 2 * footprint.ring.size() <= most;
}

void append_programs(std::vector<chase::Program>& programs, const Subject& subject, const Footprint& footprint) {
  const auto offsets = chase::node_offsets(footprint.ring);
  const chase::Ring walked = twice(footprint.ring);
  const auto nodes = static_cast<std::int64_t>(offsets.size());
  const auto share = static_cast<std::int64_t>(footprint.share * static_cast<double>(nodes));
  const auto each =
      static_cast<std::size_t>(std::clamp<std::int64_t>(share, 1, subject.shared ? subject.most_timed : timed_loads));
  std::int64_t trial = 0;
  if (is_steady(subject, footprint)) {
    for (; trial < footprint.repeats; ++trial) {
      programs.push_back(steady_program(subject, footprint, walked, offsets));
      programs.back().trial = trial;
    }
    return;
  }
  const std::int64_t shared =
      std::clamp<std::int64_t>(timed_loads / static_cast<std::int64_t>(each), 1, footprint.repeats_per_program);
  for (std::int64_t repeat = 0; repeat < footprint.repeats; repeat += shared) {
    const std::int64_t end = std::min(repeat + shared, footprint.repeats);
    std::vector<std::vector<std::int64_t>> chosen;
    for (std::int64_t one = repeat; one < end; ++one) {
      chosen.push_back(random_choice(nodes, std::min(footprint.samples, nodes),
                                     footprint.seed * 1000 + static_cast<std::uint64_t>(one)));
    }
    for (std::size_t first = 0; first < chosen.front().size(); first += each) {
      const auto count = std::min(each, chosen.front().size() - first);
      Repeats parts;
      for (const auto& samples : chosen) parts.push_back(std::span(samples).subspan(first, count));
      programs.push_back(program_of(subject, footprint, walked, offsets, parts));
      programs.back().trial = trial++;
    }
  }
}

/// Counts one repeat.
void count(Retained& seen, const Subject& subject, std::span<const double> latencies) {
  std::int64_t misses = 0;
  for (const double latency : latencies) {
    const bool hit = latency <= subject.threshold.cycles;
    ++seen.sampled;
    seen.hits += hit ? 1 : 0;
    seen.evicted += misses;
    misses += hit ? 0 : 1;
    seen.latencies.push_back(latency);
  }
}

}  // namespace

double Retained::estimate() const {
  return sampled == 0 ? 0 : static_cast<double>(nodes) * static_cast<double>(hits) / static_cast<double>(sampled);
}

double Retained::undisturbed() const {
  if (sampled == 0) return 0;
  const auto n = static_cast<double>(sampled);
  return estimate() + static_cast<double>(evicted) / n;
}

double Retained::standard_error() const {
  if (sampled == 0 || counted()) return 0;
  const auto n = static_cast<double>(sampled);
  // Half a hit more keeps the error of an all-hit or all-miss sample above 0.
  const double share = (static_cast<double>(hits) + 0.5) / (n + 1);
  const double finite = 1 - n / static_cast<double>(repeats * nodes);
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
  for (std::size_t i = 0; i < footprints.size(); ++i) {
    seen[i].nodes = footprints[i].ring.size();
    seen[i].repeats = footprints[i].repeats;
  }
  const auto results = execute(programs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    Retained& mine = seen[owner[i]];
    for (std::size_t trace = 0; trace < results[i].traces.size(); ++trace) {
      const auto latencies = net(results[i], trace);
      const auto skipped = is_steady(subject, footprints[owner[i]]) ? latencies.size() / 2 : 0;
      count(mine, subject, std::span(latencies).subspan(skipped));
    }
  }
  return seen;
}

}  // namespace tomograph::cache
