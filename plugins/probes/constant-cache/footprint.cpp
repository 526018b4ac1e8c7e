#include "footprint.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "tomograph/session/session.hpp"

namespace tomograph::constant_cache {

namespace {

constexpr int settling_walks = 3;
constexpr int timed_walks = 2;

/// A ring over the nodes of `blocks`, all of one array: evenly spaced where they follow one another.
chase::Ring ring_over(const Space& space, std::span<const std::int64_t> blocks, std::int64_t array,
                      std::int64_t spacing) {
  const std::int64_t first = array * space.blocks_per_array;
  const auto count = static_cast<std::int64_t>(blocks.size());
  if (blocks.back() - blocks.front() + 1 == count) {
    return {.array = array,
            .start = (blocks.front() - first) * space.block_bytes,
            .stride = spacing,
            .count = count * (space.block_bytes / spacing)};
  }
  chase::Ring ring{.array = array};
  for (const std::int64_t block : blocks) {
    for (std::int64_t offset = 0; offset < space.block_bytes; offset += spacing) {
      ring.nodes.push_back((block - first) * space.block_bytes + offset);
    }
  }
  return ring;
}

chase::Program program_over(const cache::Subject& subject, const Space& space, std::span<const std::int64_t> blocks) {
  const std::int64_t spacing = space.spacing(std::ssize(blocks));
  chase::Program program;
  program.actors = {{.sm = subject.sm, .path = subject.path}};
  program.arrays.assign(static_cast<std::size_t>(blocks.back() / space.blocks_per_array + 1),
                        {.bytes = space.blocks_per_array * space.block_bytes, .space = chase::space_of(subject.path)});
  for (auto begin = blocks.begin(); begin != blocks.end();) {
    const std::int64_t array = *begin / space.blocks_per_array;
    const auto end =
        std::find_if(begin, blocks.end(), [&](std::int64_t block) { return block / space.blocks_per_array != array; });
    program.rings.push_back(ring_over(space, {begin, end}, array, spacing));
    begin = end;
  }
  for (int walk = 0; walk < settling_walks + timed_walks; ++walk) {
    for (std::int64_t ring = 0; ring < std::ssize(program.rings); ++ring) {
      program.phases.push_back({.ring = ring,
                                .loads = program.rings[static_cast<std::size_t>(ring)].size(),
                                .timing = walk < settling_walks ? chase::Timing::untimed : chase::Timing::each});
    }
  }
  return program;
}

/// What one walk says about a block.
analysis::Fate fate_of(const cache::Subject& subject, std::span<const double> loads) {
  const double slowest = std::ranges::max(loads);
  if (slowest > subject.threshold.cycles) return analysis::Fate::missing;
  return slowest > subject.before ? analysis::Fate::held : analysis::Fate::unseen;
}

analysis::Fate fate_of(const cache::Subject& subject, std::span<const double> first, std::span<const double> second) {
  const std::array fates{fate_of(subject, first), fate_of(subject, second)};
  for (const auto fate : {analysis::Fate::held, analysis::Fate::missing}) {
    if (std::ranges::find(fates, fate) != fates.end()) return fate;
  }
  return analysis::Fate::unseen;
}

Visit visit_in(const cache::Subject& subject, const Space& space, std::size_t blocks, const chase::Result& result) {
  const auto per_block = static_cast<std::size_t>(space.block_bytes / space.spacing(static_cast<std::int64_t>(blocks)));
  Visit visit;
  for (std::size_t trace = 0; trace < result.traces.size(); ++trace) {
    const auto latencies = cache::net(result, trace);
    visit.latencies.insert(visit.latencies.end(), latencies.begin(), latencies.end());
  }
  // The first walk of all rings, then the second.
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto loads = [&](std::size_t walk) {
      return std::span(visit.latencies).subspan((walk * blocks + block) * per_block, per_block);
    };
    visit.fates.push_back(fate_of(subject, loads(0), loads(1)));
  }
  return visit;
}

}  // namespace

std::int64_t Space::spacing(std::int64_t blocks_walked) const {
  const bool few = blocks_walked < out_of_reach * lines_before;
  return few && fetched_before > 0 ? std::min(fetched_before, block_bytes) : block_bytes;
}

std::int64_t Visit::missing() const { return std::ranges::count(fates, analysis::Fate::missing); }

std::int64_t arrays_together(const cache::Executor& execute, const cache::Subject& subject) {
  constexpr std::int64_t most = 8;
  chase::Program program;
  program.actors = {{.sm = subject.sm, .path = subject.path}};
  program.rings = {{.stride = chase::node_bytes, .count = 1}};
  program.phases = {{.loads = 1}};
  const chase::Array array{.bytes = subject.largest, .space = chase::space_of(subject.path)};
  program.arrays = {array, array};
  try {
    for (; std::ssize(program.arrays) <= most; program.arrays.push_back(array)) (void)execute({&program, 1});
  } catch (const Refused&) {
    return std::ssize(program.arrays) - 1;
  }
  return most;
}

std::vector<Visit> visit(const cache::Executor& execute, const cache::Subject& subject, const Space& space,
                         std::span<const std::vector<std::int64_t>> footprints) {
  std::vector<chase::Program> programs;
  for (const auto& blocks : footprints) programs.push_back(program_over(subject, space, blocks));
  const auto results = execute(programs);
  std::vector<Visit> visits;
  for (std::size_t i = 0; i < results.size(); ++i) {
    visits.push_back(visit_in(subject, space, footprints[i].size(), results[i]));
  }
  return visits;
}

std::vector<std::int64_t> first_blocks(std::int64_t count) {
  std::vector<std::int64_t> blocks(static_cast<std::size_t>(count));
  std::iota(blocks.begin(), blocks.end(), 0);
  return blocks;
}

}  // namespace tomograph::constant_cache
