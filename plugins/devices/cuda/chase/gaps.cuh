#ifndef TOMOGRAPH_CUDA_CHASE_GAPS_CUH
#define TOMOGRAPH_CUDA_CHASE_GAPS_CUH

#include <cstdint>

#include "cuda/chase/kernels.hpp"
#include "tomograph/abi/chase.h"

/// How a CTA notices that another program had a turn on the GPU: the clock runs on while the CTA stands still, so two
/// readings of it are far apart.
namespace tomograph::cuda {

namespace {

/// The low word of the clock. It wraps after two seconds, longer than a turn.
__device__ __forceinline__ std::uint32_t brief_clock() {
  std::uint32_t now;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
  return now;
}

/// The readings of the clock by one thread.
struct GapTimer {
  std::uint32_t last;
  std::uint32_t longest;

  /// To be called between dependent loads: while a load is under way, it costs nothing.
  __device__ __forceinline__ void read() {
    const std::uint32_t now = brief_clock();
    longest = max(longest, now - last);
    last = now;
  }
  /// The same after something that takes up to `cycles`.
  __device__ __forceinline__ void read_after(std::uint64_t cycles) {
    const std::uint32_t now = brief_clock();
    const std::uint32_t gap = now - last;
    if (gap > cycles) longest = max(longest, static_cast<std::uint32_t>(gap - cycles));
    last = now;
  }
};

/// What all threads of a CTA have noticed, in shared memory.
struct Gaps {
  std::uint32_t last;  ///< reading of the thread that followed a ring last
  std::uint32_t seen;  ///< bits of PartEnd

  __device__ __forceinline__ void note(std::uint32_t bit) { atomicOr(&seen, bit); }
  __device__ __forceinline__ void note(const GapTimer& watch, const PhaseTask& phase, std::uint32_t most) {
    if (watch.longest <= most) return;
    const bool timed = phase.timing != TOMOGRAPH_UNTIMED;
    note(timed ? PartEnd::timed_gap : phase.threads > 1 ? PartEnd::workers_gap : PartEnd::gap);
  }
};

}  // namespace

}  // namespace tomograph::cuda

#endif
