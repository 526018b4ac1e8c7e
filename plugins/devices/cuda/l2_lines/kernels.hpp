#ifndef TOMOGRAPH_CUDA_L2_LINES_KERNELS_HPP
#define TOMOGRAPH_CUDA_L2_LINES_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstdint>

/// The interface of the kernels that load lines of the L2 one by one. Pointers are device addresses.
namespace tomograph::cuda {

/// Lines that an SM loads in all rounds before it goes on with the next ones. Their latencies fit into the shared
/// memory of every GPU.
inline constexpr std::uint32_t lines_at_a_time = 512;
/// Latencies are reported in this part of a cycle.
inline constexpr std::uint32_t latency_units = 16;
/// Lines of the largest set for contention. Their numbers fit into the shared memory of every GPU.
inline constexpr std::uint32_t largest_set = 4096;

struct LatencyTask {
  std::uint64_t base;          ///< address of line 0
  std::uint64_t line_size;     ///< bytes
  const std::uint32_t* lines;  ///< numbers of the lines
  const std::int32_t* ranks;   ///< by number of the SM: its rank among those whose latencies are wanted, or -1
  std::uint32_t* claimed;      ///< by number of the SM: CTAs that ran there. All zero before the launch
  std::uint32_t* halves;       ///< by rank and line: means of the first (high 16 bits) and of the second half
  std::uint64_t* cycles;       ///< by rank: cycles of all loads
  std::uint32_t count;         ///< of lines
  std::uint32_t sms;           ///< of the device
  std::uint32_t rounds;
};

/// How SMs loaded one set. All zero before the launch.
struct SetTimes {
  std::uint32_t started;   ///< CTAs
  std::uint32_t finished;  ///< CTAs
  std::uint64_t longest;   ///< cycles of the slowest SM
  std::uint64_t total;     ///< sum of the cycles of all SMs
};

struct ContentionTask {
  std::uint64_t base;
  std::uint64_t line_size;
  const std::uint32_t* lines;  ///< of this set
  const std::int32_t* ranks;   ///< by number of the SM: -1 if it does not load
  SetTimes* times;
  std::uint32_t count;  ///< of lines
  std::uint32_t sms;    ///< of the device
  std::uint32_t loads;  ///< of each warp
  bool atomic;          ///< additions of 0 by one thread of each warp in place of loads
};

/// Starts one CTA on each SM. `shared` bytes of shared memory let no second CTA into an SM.
[[nodiscard]] cudaError_t launch_latencies(const LatencyTask& task, std::uint32_t shared, cudaStream_t stream);
[[nodiscard]] cudaError_t launch_contention(const ContentionTask& task, std::uint32_t warps, std::uint32_t shared,
                                            cudaStream_t stream);

}  // namespace tomograph::cuda

#endif
