#ifndef TOMOGRAPH_CUDA_CHASE_OVERHEAD_HPP
#define TOMOGRAPH_CUDA_CHASE_OVERHEAD_HPP

namespace tomograph::cuda {

/// What timing adds to what it times, in cycles.
struct Overhead {
  double each = 0;   ///< to a single load
  double total = 0;  ///< to a whole phase
};

/// Times chains of dependent arithmetic instructions of growing length exactly as loads are timed. The time of a chain
/// is overhead + length x latency; a straight line through the medians gives the overhead as its intercept, whatever
/// the latency. (An empty interval would not do: an instruction that takes long hides part of the clock reads.)
/// On the current device. @throws DeviceLost, std::runtime_error.
[[nodiscard]] Overhead measure_overhead();

}  // namespace tomograph::cuda

#endif
