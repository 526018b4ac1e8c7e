#ifndef TOMOGRAPH_SIM_CHASE_SCHEDULE_HPP
#define TOMOGRAPH_SIM_CHASE_SCHEDULE_HPP

#include <cstdint>
#include <vector>

#include "sim/chase/batch.hpp"
#include "tomograph/chase.hpp"

namespace tomograph::sim {

/// Threads of a warp. The threads of an actor fill one warp after the other.
inline constexpr std::size_t warp_size = 32;

/// Warps of an actor with so many threads.
[[nodiscard]] constexpr std::int64_t warps(std::int64_t threads) {
  constexpr auto size = static_cast<std::int64_t>(warp_size);
  return (threads + size - 1) / size;
}

/// The order of the loads of a phase: the actor's threads start at evenly spaced nodes and take turns after each load.
class Schedule {
 public:
  /// Over a ring of `nodes`.
  Schedule(const chase::Phase& phase, std::size_t nodes, std::size_t threads);

  /// Fills `batch` with the next loads, all of one warp. Returns false if none are left.
  [[nodiscard]] bool next(Batch& batch);

 private:
  void follow(Batch& batch);
  void take_turns(Batch& batch);

  std::size_t nodes_;
  std::size_t left_;
  std::size_t thread_ = 0;  ///< whose turn it is
  std::vector<std::uint32_t> positions_;
};

}  // namespace tomograph::sim

#endif
