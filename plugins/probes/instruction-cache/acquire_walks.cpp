#include "acquire_walks.hpp"

#include <algorithm>

namespace tomograph::instruction_cache {

Walk laps_over(const Blocks& blocks, std::size_t laps, std::int64_t trial) {
  return {std::vector<Blocks>(laps, blocks), trial};
}

chase::Program program_of(const Walk& walk) {
  chase::Program program{.arrays = {{.bytes = code_bytes, .space = chase::Space::instruction}},
                         .actors = {{.path = chase::Path::instruction}},
                         .alone = true,
                         .trial = walk.trial};
  for (std::size_t i = 0; i < walk.laps.size(); ++i) {
    const Blocks& blocks = walk.laps[i];
    const auto same = [&](const chase::Ring& ring) {
      return ring.start / block_bytes == blocks.start / block_bytes && ring.count == blocks.count &&
             ring.stride == (blocks.far ? far_bytes : block_bytes);
    };
    const auto known = std::ranges::find_if(program.rings, same);
    const std::int64_t ring = known - program.rings.begin();
    if (known == program.rings.end()) {
      // Two rings through the same block need a node each.
      program.rings.push_back({.start = blocks.start + ring * chase::node_bytes,
                               .stride = blocks.far ? far_bytes : block_bytes,
                               .count = blocks.count});
    }
    const bool last = i + 1 == walk.laps.size();
    program.phases.push_back(
        {.ring = ring, .loads = blocks.count, .timing = last ? chase::Timing::each : chase::Timing::untimed});
  }
  return program;
}

std::vector<std::vector<double>> time_walks(const Session& session, std::span<const Walk> walks) {
  std::vector<chase::Program> programs;
  for (const Walk& walk : walks) programs.push_back(program_of(walk));
  std::vector<std::vector<double>> latencies;
  for (const chase::Result& result : session.ask(programs)) {
    latencies.push_back(result.net_latencies());
    // The first block includes the jump into the code.
    latencies.back().erase(latencies.back().begin());
  }
  return latencies;
}

}  // namespace tomograph::instruction_cache
