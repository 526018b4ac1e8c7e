#ifndef TOMOGRAPH_CUDA_L2_LINES_TIMED_LOADS_KERNEL_HPP
#define TOMOGRAPH_CUDA_L2_LINES_TIMED_LOADS_KERNEL_HPP

#include <cuda_runtime_api.h>

#include <cstdint>

/// The interface of the kernel that notes when one thread loads lines. Pointers are device addresses.
namespace tomograph::cuda {

/// What a launch tells besides its steps. All zero before it.
struct LoadsClock {
  std::uint64_t cycles;       ///< of the SM
  std::uint64_t nanoseconds;  ///< that passed meanwhile
};

struct TimedStep {
  std::uint64_t start;    ///< cycles from the start of the program
  std::uint32_t latency;  ///< with the overhead of timing
};

struct TimedLoadsTask {
  std::uint64_t base;
  std::uint64_t line_size;
  const std::uint32_t* lines;
  TimedStep* steps;
  LoadsClock* clock;
  std::uint32_t step_count;
  std::uint32_t width;
  std::int32_t apart;  ///< cycles from the first of two loads to the second, which alone is timed; -1: both are timed
  std::uint32_t page_mask;  ///< the number of lines of a page, a power of two, less 1
  std::uint32_t rest;
  std::uint32_t seed;
  std::uint32_t sm;
  std::uint32_t sms;  ///< of the device
};

/// Starts one CTA on each SM. `shared` bytes of shared memory let no second CTA into an SM.
[[nodiscard]] cudaError_t launch_timed_loads(const TimedLoadsTask& task, std::uint32_t shared, cudaStream_t stream);

}  // namespace tomograph::cuda

#endif
