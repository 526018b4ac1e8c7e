#include "acquire_walks.hpp"

#include <algorithm>

namespace tomograph::instruction_cache {

Walk laps_over(const Blocks& blocks, std::size_t laps, std::int64_t trial) {
  return {std::vector<Blocks>(laps, blocks), trial};
}

namespace {

bool same(const Blocks& a, const Blocks& b) { return a.start == b.start && a.count == b.count && a.far == b.far; }

/// The ring of the program through these blocks, added if it is new.
std::int64_t ring_through(const Blocks& blocks, chase::Program& program) {
  const std::int64_t stride = blocks.far ? far_bytes : block_bytes;
  const auto through = [&](const chase::Ring& ring) {
    return ring.start / block_bytes == blocks.start / block_bytes && ring.count == blocks.count &&
           ring.stride == stride;
  };
  const auto known = std::ranges::find_if(program.rings, through);
  const std::int64_t ring = known - program.rings.begin();
  // Two rings through the same block need a node each.
  if (known == program.rings.end()) {
    program.rings.push_back(
        {.start = blocks.start + ring * chase::node_bytes, .stride = stride, .count = blocks.count});
  }
  return ring;
}

}  // namespace

chase::Program program_of(const Walk& walk) {
  chase::Program program{.arrays = {{.bytes = code_bytes, .space = chase::Space::instruction}},
                         .actors = {{.path = chase::Path::instruction}},
                         .alone = true,
                         .trial = walk.trial};
  for (std::size_t i = 0; i < walk.laps.size(); ++i) {
    const Blocks& blocks = walk.laps[i];
    if (i != 0 && same(blocks, walk.laps[i - 1])) {
      program.phases.back().loads += blocks.count;
    } else {
      program.phases.push_back(
          {.ring = ring_through(blocks, program), .loads = blocks.count, .timing = chase::Timing::untimed});
    }
  }
  program.phases.back().timing = chase::Timing::each;
  return program;
}

std::vector<std::vector<double>> time_walks(const Session& session, std::span<const Walk> walks) {
  std::vector<chase::Program> programs;
  for (const Walk& walk : walks) programs.push_back(program_of(walk));
  std::vector<std::vector<double>> latencies;
  for (const chase::Result& result : session.ask(programs)) {
    const std::vector<double> all = result.net_latencies();
    // The first block of a lap includes the jump into the code.
    const std::int64_t timed = walks[latencies.size()].laps.back().count - 1;
    latencies.emplace_back(all.end() - timed, all.end());
  }
  return latencies;
}

}  // namespace tomograph::instruction_cache
