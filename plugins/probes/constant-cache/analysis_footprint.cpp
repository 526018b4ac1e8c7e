#include "analysis_footprint.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

namespace tomograph::constant_cache {

namespace {

/// What one walk says about a block.
Fate fate_of(const cache::Subject& subject, std::span<const double> loads) {
  const double slowest = std::ranges::max(loads);
  if (slowest > subject.threshold.cycles) return Fate::missing;
  return slowest > subject.before ? Fate::held : Fate::unseen;
}

Fate fate_of(const std::array<Fate, 2>& fates) {
  for (const auto fate : {Fate::held, Fate::missing}) {
    if (std::ranges::find(fates, fate) != fates.end()) return fate;
  }
  return Fate::unseen;
}

}  // namespace

std::int64_t ConstantSpace::spacing(std::int64_t blocks_walked) const {
  const bool few = blocks_walked < overflow_factor * lines_before;
  return few && fetched_before > 0 ? std::min(fetched_before, block_bytes) : block_bytes;
}

std::int64_t FootprintWalk::missing() const { return std::ranges::count(fates, Fate::missing); }

FootprintWalk walk_of(const cache::Subject& subject, std::size_t blocks, std::vector<double> latencies) {
  const std::size_t per_block = latencies.size() / (2 * blocks);
  FootprintWalk walk{.fates = {}, .latencies = std::move(latencies)};
  std::array<std::int64_t, 2> held{};
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto loads = [&](std::size_t number) {
      return std::span(walk.latencies).subspan((number * blocks + block) * per_block, per_block);
    };
    const std::array fates{fate_of(subject, loads(0)), fate_of(subject, loads(1))};
    for (std::size_t number = 0; number < fates.size(); ++number) held[number] += fates[number] == Fate::held ? 1 : 0;
    walk.fates.push_back(fate_of(fates));
  }
  walk.held_at_once = std::ranges::max(held);
  return walk;
}

std::vector<std::int64_t> first_blocks(std::int64_t count) {
  std::vector<std::int64_t> blocks(static_cast<std::size_t>(count));
  std::iota(blocks.begin(), blocks.end(), 0);
  return blocks;
}

}  // namespace tomograph::constant_cache
