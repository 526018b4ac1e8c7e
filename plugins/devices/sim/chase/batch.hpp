#ifndef TOMOGRAPH_SIM_CHASE_BATCH_HPP
#define TOMOGRAPH_SIM_CHASE_BATCH_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "sim/chase/noise.hpp"

namespace tomograph::sim {

/// Loads that one warp makes one after the other, on their way through the hierarchy together: each cache and TLB level
/// answers all loads that come to it, in their order, before the next one is asked. That is as if one load went all the
/// way before the next one starts, since what a cache answers depends on the loads that come to it and on their order
/// alone; and it is much faster, since each loop stays with one cache.
struct Batch {
  static constexpr std::size_t capacity = 512;

  std::size_t size = 0;
  std::array<std::uint32_t, capacity> position;  ///< node of the ring, by load
  std::array<std::uint16_t, capacity> thread;    ///< of the actor
  std::array<std::uint32_t, capacity> cycles;    ///< that it has taken so far
  std::array<Level, capacity> level;             ///< that served it
};

/// Loads of a batch, by number, in their order.
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
