#include "acquire_large_walk.hpp"

#include <utility>

namespace tomograph::tlb {

chase::Program large_walk(const Memory& memory, std::span<const std::int64_t> lines, std::int64_t walks,
                          std::int64_t timed) {
  const std::int64_t count = std::ssize(lines);
  chase::Ring cycle;
  cycle.nodes.reserve(lines.size());
  for (const std::int64_t line : lines) cycle.nodes.push_back(line + 2 * chase::node_bytes);
  chase::Ring pairs;
  for (std::int64_t i = 0; i < timed; ++i) {
    const std::int64_t line = lines[static_cast<std::size_t>(i % walkers * (count / walkers) + i / walkers)];
    pairs.nodes.push_back(line);
    pairs.nodes.push_back(line + chase::node_bytes);
  }
  chase::Program program;
  program.arrays = {{memory.bytes}};
  program.rings.reserve(2);
  program.rings.push_back(std::move(cycle));
  program.rings.push_back(std::move(pairs));
  program.actors = {{.sm = 0, .path = chase::Path::global_cg},
                    {.sm = 0, .path = chase::Path::global_cg, .threads = walkers}};
  program.alone = true;
  program.phases = {{.actor = 1, .ring = 0, .loads = walks * count},
                    {.actor = 0, .ring = 1, .loads = 2 * timed, .timing = chase::Timing::each}};
  return program;
}

}  // namespace tomograph::tlb
