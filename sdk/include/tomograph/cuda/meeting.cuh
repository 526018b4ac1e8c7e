#ifndef TOMOGRAPH_CUDA_MEETING_CUH
#define TOMOGRAPH_CUDA_MEETING_CUH

#include <cstdint>

#include "tomograph/cuda/ptx.cuh"

/// How CTAs of a launch wait for each other. A CTA that cannot be placed, for example beside another program's, would
/// block the others for ever: hence a timeout.
namespace tomograph::cuda {

/// Loads past the L1 cache and without a fence, which would invalidate what L1 holds.
__device__ __forceinline__ std::uint32_t load_volatile(const std::uint32_t* word) {
  std::uint32_t value;
  asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}
__device__ __forceinline__ unsigned long long load_volatile(const unsigned long long* word) {
  unsigned long long value;
  asm volatile("ld.volatile.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}

/// Cycles in which all CTAs of a launch are placed: 0.5 ms at 2 GHz.
constexpr std::uint64_t placement_cycles = 1'000'000;

/// Bit of a counter of CTAs: one of them has waited for too long.
constexpr std::uint32_t given_up = 1U << 31U;

/// Adds 1 to `came`, which is zero before the launch, and waits until it is `all`. Returns whether that happened before
/// one of those that wait had waited for `timeout` cycles. All are told the same, also one that comes late or whose
/// program was interrupted meanwhile: otherwise some would go on and wait for others that have left.
__device__ __forceinline__ bool meet(std::uint32_t* came, std::uint32_t all, std::uint64_t timeout) {
  atomicAdd(came, 1U);
  const std::uint64_t begin = sm_cycles();
  for (;;) {
    const std::uint32_t seen = load_volatile(came);
    if ((seen & given_up) != 0) return false;
    if (seen >= all) return true;
    const bool is_late = sm_cycles() - begin > timeout;
    if (is_late && atomicCAS(came, seen, seen | given_up) == seen) return false;
  }
}

}  // namespace tomograph::cuda

#endif
