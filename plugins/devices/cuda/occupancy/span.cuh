#ifndef TOMOGRAPH_CUDA_OCCUPANCY_SPAN_CUH
#define TOMOGRAPH_CUDA_OCCUPANCY_SPAN_CUH

#include "cuda/occupancy/span.hpp"

namespace tomograph::cuda {

/// From the last CTA's arrival to the start, in cycles: time for the others to learn of it.
constexpr std::uint64_t lead_cycles = 4000;
/// After this long a CTA starts without the others; the host sees from the spans that they were not together.
constexpr std::uint64_t patience_cycles = 2'000'000;

__device__ __forceinline__ std::uint64_t sm_clock() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}

__device__ __forceinline__ std::uint32_t sm_number() {
  std::uint32_t sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

/// Clock at which this CTA and those it shares the SM with shall start. One thread of each CTA calls it.
__device__ inline std::uint64_t agree_on_start(const Occupancy& occupancy) {
  const std::uint32_t sm = sm_number();
  const std::uint64_t arrival = sm_clock();
  if (sm >= occupancy.sms) return arrival;
  Gate* gate = occupancy.gates + sm;
  volatile std::uint64_t* start = &gate->start;
  if (atomicAdd(&gate->arrived, 1U) + 1 == occupancy.ctas_per_sm) *start = sm_clock() + lead_cycles;
  while (*start == 0 && sm_clock() - arrival < patience_cycles) {
  }
  return *start != 0 ? *start : sm_clock();
}

/// Runs `work(passes)` twice in each thread, once with one pass as a rehearsal that fills the instruction caches, then
/// for all passes together with the other CTAs of the SM. A CTA's time begins when it may start: where some warps
/// saturate the SM, others get to their first instruction late.
template <typename Work>
__device__ __forceinline__ void run_together(const Occupancy& occupancy, std::uint32_t passes, Work work) {
  __shared__ std::uint64_t start;
  __shared__ unsigned long long end;
  if (threadIdx.x == 0) end = 0;
    // A loop, so that the rehearsal fetches the same instructions that are timed afterwards.
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
    if (round == 1) {
      __syncthreads();
      if (threadIdx.x == 0) start = agree_on_start(occupancy);
      __syncthreads();
      // A copy: to read shared memory in the loop would keep other warps from it.
      const std::uint64_t agreed = start;
      while (sm_clock() < agreed) {
      }
    }
    work(round == 0 ? 1U : passes);
  }
  const std::uint64_t now = sm_clock();
  if (threadIdx.x % warpSize == 0) atomicMax(&end, static_cast<unsigned long long>(now));
  __syncthreads();
  if (threadIdx.x == 0) occupancy.spans[blockIdx.x] = {start, end, sm_number(), 0};
}

/// Lets `kernel` take up to `bytes` of shared memory, of the largest carve-out; `fixed` becomes what it takes in any
/// case.
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
