#ifndef TOMOGRAPH_CUDA_OCCUPANCY_SPAN_CUH
#define TOMOGRAPH_CUDA_OCCUPANCY_SPAN_CUH

#include "cuda/occupancy/span.hpp"
#include "tomograph/cuda/ptx.cuh"

namespace tomograph::cuda {

/// Delay, in cycles, from the arrival of the last CTA to the common start: time for
/// every CTA to read the start from memory. Chosen on an H200.
constexpr std::uint64_t start_delay_cycles = 4000;
/// Timeout, in cycles, after which a CTA starts without the others: 1 ms at 2 GHz. The host sees from the spans that
/// the CTAs were not at work at the same time.
constexpr std::uint64_t start_timeout_cycles = 2'000'000;

/// Clock at which the CTAs of this SM start together. One thread of each CTA calls it.
__device__ inline std::uint64_t agree_on_start(const Occupancy& occupancy) {
  const std::uint32_t sm = sm_id();
  const std::uint64_t arrival = sm_cycles();
  if (sm >= occupancy.sms) return arrival;
  Gate* gate = occupancy.gates + sm;
  volatile std::uint64_t* start = &gate->start;
  if (atomicAdd(&gate->arrived, 1U) + 1 == occupancy.ctas_per_sm) *start = sm_cycles() + start_delay_cycles;
  while (*start == 0 && sm_cycles() - arrival < start_timeout_cycles) {
  }
  return *start != 0 ? *start : sm_cycles();
}

/// Runs `work` twice in each thread: `work(1)` warms up the instruction caches, then `work(passes)` runs at the same
/// time in all CTAs of the SM. A CTA's span begins at the common start, not at its first instruction, which is late
/// where other warps saturate the SM.
template <typename Work>
__device__ __forceinline__ void run_together(const Occupancy& occupancy, std::uint32_t passes, Work work) {
  __shared__ std::uint64_t start;
  __shared__ unsigned long long end;
  if (threadIdx.x == 0) end = 0;
    // A loop, so that the warm-up fetches the instructions that are timed afterwards.
#pragma unroll 1
  for (int timed = 0; timed < 2; ++timed) {
    if (timed == 1) {
      __syncthreads();
      if (threadIdx.x == 0) start = agree_on_start(occupancy);
      __syncthreads();
      // A copy, because polling shared memory would slow down other warps that access it.
      const std::uint64_t agreed = start;
      while (sm_cycles() < agreed) {
      }
    }
    work(timed == 0 ? 1U : passes);
  }
  const std::uint64_t now = sm_cycles();
  if (threadIdx.x % warpSize == 0) atomicMax(&end, static_cast<unsigned long long>(now));
  __syncthreads();
  if (threadIdx.x == 0) occupancy.spans[blockIdx.x] = {start, end, sm_id(), 0};
}

/// Allows `kernel` `bytes` of shared memory, static and dynamic, in the largest carve-out. `fixed` receives its static
/// shared memory.
inline cudaError_t allow_shared(const void* kernel, std::int64_t bytes, std::int64_t& fixed) {
  cudaFuncAttributes attributes{};
  cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
  if (error != cudaSuccess) return error;
  fixed = static_cast<std::int64_t>(attributes.sharedSizeBytes);
  error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes - fixed));
  if (error != cudaSuccess) return error;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared);
}

}  // namespace tomograph::cuda

#endif
