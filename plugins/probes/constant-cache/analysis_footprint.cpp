#include "analysis_footprint.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

namespace tomograph::constant_cache {

namespace {

/// What one walk says about a block.
LineState state_of(const cache::Subject& subject, std::span<const double> loads) {
  const double slowest = std::ranges::max(loads);
  if (slowest > subject.threshold.cycles) return LineState::missing;
  return slowest > subject.before ? LineState::held : LineState::unseen;
}

LineState state_of(const std::array<LineState, 2>& states) {
  for (const auto state : {LineState::held, LineState::missing}) {
    if (std::ranges::find(states, state) != states.end()) return state;
  }
  return LineState::unseen;
}

}  // namespace

std::int64_t ConstantSpace::spacing(std::int64_t blocks_walked) const {
  const bool few = blocks_walked < overflow_factor * lines_before;
  return few && fetched_before > 0 ? std::min(fetched_before, block_bytes) : block_bytes;
}

std::int64_t FootprintWalk::missing() const { return std::ranges::count(states, LineState::missing); }

FootprintWalk walk_of(const cache::Subject& subject, std::size_t blocks, std::vector<double> latencies) {
  const std::size_t per_block = latencies.size() / (2 * blocks);
  FootprintWalk walk{.states = {}, .latencies = std::move(latencies)};
  std::array<std::int64_t, 2> held{};
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto loads = [&](std::size_t number) {
      return std::span(walk.latencies).subspan((number * blocks + block) * per_block, per_block);
    };
    const std::array states{state_of(subject, loads(0)), state_of(subject, loads(1))};
    for (std::size_t number = 0; number < states.size(); ++number)
      held[number] += states[number] == LineState::held ? 1 : 0;
    walk.states.push_back(state_of(states));
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
