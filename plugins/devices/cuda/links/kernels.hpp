#ifndef TOMOGRAPH_CUDA_LINKS_KERNELS_HPP
#define TOMOGRAPH_CUDA_LINKS_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace tomograph::cuda {

/// What the chase's kernel measures: one element of `cycles` for each run, and a pair of clocks around all runs.
struct RemoteChaseTimes {
  std::uint64_t last;         ///< address that the chase has reached
  std::uint64_t nanoseconds;  ///< of all runs
  std::uint64_t all_cycles;   ///< of all runs
  std::uint64_t cycles[64];   ///< of each run NOLINT(modernize-avoid-c-arrays): a kernel indexes it
};

struct RemoteChaseTask {
  std::uint64_t first;  ///< address where the chase begins
  std::uint32_t steps;
  std::uint32_t runs;
  std::uint32_t warm_steps;
  RemoteChaseTimes* times;
};

/// Starts a chase by ld.global.cv, or by atomics that add 0.
cudaError_t launch_remote_chase(bool atomic, const RemoteChaseTask& task, cudaStream_t stream);

/// Part of one transfer by SMs.
struct SmTransferTask {
  std::byte* memory;  ///< of the far place
  std::uint64_t bytes;
  std::uint32_t passes;
  std::uint32_t unlikely_sum;
  std::uint32_t* sink;
};

/// Threads of a CTA that reads or writes, and the bytes that each has in flight.
inline constexpr std::uint32_t sm_transfer_threads = 512;
inline constexpr std::uint32_t sm_transfer_bytes = 64;

/// Starts `ctas` CTAs that read far memory, or write it.
cudaError_t launch_sm_transfer(bool writes, const SmTransferTask& task, std::uint32_t ctas, cudaStream_t stream);

}  // namespace tomograph::cuda

#endif
