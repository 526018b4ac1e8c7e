#ifndef TOMOGRAPH_SIM_CHASE_BATCH_HPP
#define TOMOGRAPH_SIM_CHASE_BATCH_HPP

#include <array>
#include <cstdint>
#include <numeric>

#include "sim/chase/noise.hpp"

namespace tomograph::sim {

/// Successive loads of one warp, simulated together. Each cache and TLB level handles all loads that reach it, in
/// order, before the next level does. The result is the same as with one load at a time, because a cache's answers
/// depend only on the loads that reach it and their order. It is much faster, because each loop works on one cache.
struct Batch {
  static constexpr std::size_t capacity = 512;  ///< so few that a batch stays in the host's L1

  std::size_t size = 0;
  std::array<std::uint32_t, capacity> position;  ///< node of the ring, by load
  std::array<std::uint16_t, capacity> thread;    ///< of the actor
  std::array<std::uint32_t, capacity> cycles;    ///< latency so far
  std::array<Level, capacity> level;             ///< that served the load
};

/// A subset of the loads of a batch, in order.
struct Selection {
  std::size_t size = 0;
  std::array<std::uint16_t, Batch::capacity> load;

  void all_of(const Batch& batch) {
    size = batch.size;
    std::iota(load.begin(), load.begin() + static_cast<std::ptrdiff_t>(size), std::uint16_t{0});
  }
};

}  // namespace tomograph::sim

#endif
