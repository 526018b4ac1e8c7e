#include "acquire_footprint.hpp"

#include <algorithm>
#include <iterator>

#include "tomograph/session.hpp"

namespace tomograph::constant_cache {

namespace {

/// Replacement reaches its steady state. Chosen by hand.
constexpr int settling_walks = 3;
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

/// Loads of a walk, counted from its first one.
struct Window {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Adds a walk through all rings that times the loads in the window.
void add_walk(chase::Program& program, const Window& window) {
  std::int64_t before = 0;
  for (std::int64_t ring = 0; ring < std::ssize(program.rings); ++ring) {
    const std::int64_t size = program.rings[static_cast<std::size_t>(ring)].size();
    const std::int64_t begin = std::clamp<std::int64_t>(window.begin - before, 0, size);
    const std::int64_t end = std::clamp<std::int64_t>(window.end - before, begin, size);
    const auto add = [&](std::int64_t from, std::int64_t to, chase::Timing timing) {
      if (to > from) program.phases.push_back({.ring = ring, .first = from, .loads = to - from, .timing = timing});
    };
    add(0, begin, chase::Timing::untimed);
    add(begin, end, chase::Timing::each);
    add(end, size, chase::Timing::untimed);
    before += size;
  }
}

/// Rings through the blocks, one for each array, without phases.
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
  return program;
}

/// Programs that time the same walks, each as many of their loads as the device keeps.
std::vector<chase::Program> windows_over(const cache::Subject& subject, const chase::Program& rings) {
  std::int64_t loads = 0;
  for (const chase::Ring& ring : rings.rings) loads += ring.size();
  const std::int64_t most = subject.most_timed / timed_walks;
  std::vector<chase::Program> programs;
  for (std::int64_t begin = 0; begin < loads; begin += most) {
    programs.push_back(rings);
    for (int walk = 0; walk < settling_walks; ++walk) add_walk(programs.back(), {});
    for (int walk = 0; walk < timed_walks; ++walk) add_walk(programs.back(), {begin, std::min(begin + most, loads)});
  }
  return programs;
}

/// The walks that these programs timed: the first through all rings, then the second.
std::vector<double> latencies_of(std::span<const chase::Result> windows) {
  std::vector<double> all;
  for (std::size_t walk = 0; walk < timed_walks; ++walk) {
    for (const chase::Result& result : windows) {
      const std::size_t traces = result.traces.size() / timed_walks;
      for (std::size_t trace = walk * traces; trace < (walk + 1) * traces; ++trace) {
        const auto latencies = cache::net(result, trace);
        all.insert(all.end(), latencies.begin(), latencies.end());
      }
    }
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
  std::vector<std::size_t> ends;
  for (const auto& blocks : footprints) {
    auto windows = windows_over(subject, program_over(subject, space, blocks));
    std::move(windows.begin(), windows.end(), std::back_inserter(programs));
    ends.push_back(programs.size());
  }
  const auto results = execute(programs);
  std::vector<FootprintWalk> walks;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < footprints.size(); begin = ends[i], ++i) {
    const auto windows = std::span(results).subspan(begin, ends[i] - begin);
    walks.push_back(walk_of(subject, footprints[i].size(), latencies_of(windows)));
  }
  return walks;
}

}  // namespace tomograph::constant_cache
