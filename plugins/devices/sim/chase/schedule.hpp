#ifndef TOMOGRAPH_SIM_CHASE_SCHEDULE_HPP
#define TOMOGRAPH_SIM_CHASE_SCHEDULE_HPP

#include <cstdint>
#include <vector>

#include "sim/chase/batch.hpp"
#include "tomograph/experiment/chase.hpp"

namespace tomograph::sim {

/// Threads of an actor that follows a ring with several of them fill warp after warp.
inline constexpr std::size_t warp_size = 32;

/// Warps of an actor with so many threads.
[[nodiscard]] constexpr std::int64_t warps(std::int64_t threads) {
  constexpr auto size = static_cast<std::int64_t>(warp_size);
  return (threads + size - 1) / size;
}

/// The loads of a phase in their order: the threads of the actor start at evenly spaced nodes and take turns load by
/// load.
class Schedule {
 public:
  /// Over a ring of `nodes`.
  Schedule(const chase::Phase& phase, std::size_t nodes, std::size_t threads);

  /// Makes `batch` the next loads, all of one warp. False if none are left.
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
