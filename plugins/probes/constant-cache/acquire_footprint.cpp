#include "acquire_footprint.hpp"

#include <algorithm>

#include "tomograph/session.hpp"

namespace tomograph::constant_cache {

namespace {

constexpr int settling_walks = 3;  // chosen: replacement reaches its steady state
/// A block misses only if it does in both. If one load in 1,000 is delayed, one held block in 1e6 seems to miss.
constexpr int timed_walks = 2;

/// A ring over the nodes of `blocks`, which lie in one array. It is evenly spaced if no block between them is left out.
chase::Ring ring_over(const ConstantSpace& space, std::span<const std::int64_t> blocks, std::int64_t array,
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

chase::Program program_over(const cache::Subject& subject, const ConstantSpace& space,
                            std::span<const std::int64_t> blocks) {
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

/// The walks that a program timed: the first through all rings, then the second.
std::vector<double> latencies_of(const chase::Result& result) {
  std::vector<double> all;
  for (std::size_t trace = 0; trace < result.traces.size(); ++trace) {
    const auto latencies = cache::net(result, trace);
    all.insert(all.end(), latencies.begin(), latencies.end());
  }
  return all;
}

}  // namespace

std::int64_t arrays_together(const cache::Executor& execute, const cache::Subject& subject) {
  constexpr std::int64_t most = 8;  // of 64 KiB each, they are four times the 127.5 KiB of an H200
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

std::vector<FootprintWalk> walk_footprints(const cache::Executor& execute, const cache::Subject& subject,
                                           const ConstantSpace& space,
                                           std::span<const std::vector<std::int64_t>> footprints) {
  std::vector<chase::Program> programs;
  for (const auto& blocks : footprints) programs.push_back(program_over(subject, space, blocks));
  const auto results = execute(programs);
  std::vector<FootprintWalk> walks;
  for (std::size_t i = 0; i < results.size(); ++i) {
    walks.push_back(walk_of(subject, footprints[i].size(), latencies_of(results[i])));
  }
  return walks;
}

}  // namespace tomograph::constant_cache
