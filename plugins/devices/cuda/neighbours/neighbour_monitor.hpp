#ifndef TOMOGRAPH_CUDA_NEIGHBOURS_NEIGHBOUR_MONITOR_HPP
#define TOMOGRAPH_CUDA_NEIGHBOURS_NEIGHBOUR_MONITOR_HPP

#include <cstdint>

#include "cuda/neighbours/signs.hpp"
#include "tomograph/cuda/memory.hpp"

namespace tomograph::cuda {

/// Notices other programs on the GPU. Programs take turns; while one has its turn, another one's kernels wait to start
/// or stand still, and the clocks of the SMs run on.
class NeighbourMonitor {
 public:
  explicit NeighbourMonitor(int device);

  /// Whether another program has used the GPU lately. Takes ten microseconds where none has.
  [[nodiscard]] bool in_use();
  /// Something took longer than usual: the next `in_use` watches the clock.
  void suspect() { suspected_ = true; }
  /// Whether another program has used the GPU when `in_use` was called last.
  [[nodiscard]] bool has_seen_turns() const;
  /// Cycles, another part of a time slice in each call.
  [[nodiscard]] std::int64_t part_of_a_slice();
  /// Whether a turn of another program may have been in the middle of an experiment that took so many cycles.
  [[nodiscard]] bool may_have_disturbed(double cycles) const;

 private:
  /// Runs a kernel for `cycles`. Returns the longest time between two readings of the clock.
  std::uint64_t watch(std::uint64_t cycles);
  /// Whether a kernel that does nothing had to wait for its start.
  bool is_delayed();

  std::uint64_t kilohertz_;
  Stream stream_;
  PinnedBuffer longest_;
  Turns turns_;
  bool suspected_ = true;
  double part_ = 0;
};

}  // namespace tomograph::cuda

#endif
