#ifndef TOMOGRAPH_CUDA_CHASE_RENDEZVOUS_CUH
#define TOMOGRAPH_CUDA_CHASE_RENDEZVOUS_CUH

#include <cstddef>
#include <cstdint>

#include "cuda/chase/gaps.cuh"
#include "cuda/chase/kernels.hpp"
#include "tomograph/cuda/meeting.cuh"
#include "tomograph/cuda/ptx.cuh"

/// How the CTAs of a launch find their work and wait for each other.
///
/// Words that other SMs write are read and written past the L1 cache, and without fences: an acquire or a fence would
/// invalidate the L1 cache that is being measured.
namespace tomograph::cuda {

namespace {

/// Timeout, in cycles, after which a CTA no longer waits for the CTAs of its launch that have no work: 50 microseconds
/// at 2 GHz. If CTAs are still unplaced then, a program may miss its SM, which the host notices and repeats.
constexpr std::int64_t placement_timeout = 100'000;
/// Timeout, in cycles, after which a program whose parts are not all resident gives up: 2 ms at 2 GHz. The host then
/// launches the program again; without a timeout, a CTA that cannot be placed would block the others for ever.
constexpr std::uint64_t rendezvous_timeout = 4'000'000;

__device__ void store_volatile(std::uint32_t* word, std::uint32_t value) {
  asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

__device__ void pause(std::uint32_t nanoseconds = 100) {
#if __CUDA_ARCH__ >= 700
  __nanosleep(nanoseconds);
#endif
}

/// Waits until `*turn` is `own`, the number of a phase. CTAs with many phases left before their turn poll less often,
/// because a hundred SMs that poll one word slow down the SM that works. Returns whether it never waited for more than
/// `longest_gap` cycles without polling.
__device__ bool await_turn(const std::uint32_t* turn, std::uint32_t own, std::uint32_t longest_gap) {
  // Shorter than any phase. The bound keeps a pause below 0.1 ms.
  constexpr std::uint32_t phase_nanoseconds = 100;
  constexpr std::uint32_t most_phases = 1000;
  // A pause takes at most twice as long as requested (PTX, nanosleep), at clocks of less than 2.5 GHz.
  constexpr std::uint32_t cycles_per_nanosecond = 5;
  bool prompt = true;
  std::uint32_t last = brief_clock();
  for (std::uint32_t now = load_volatile(turn); now != own; now = load_volatile(turn)) {
    const std::uint32_t left = own - now;
    const std::uint32_t nanoseconds = phase_nanoseconds * (left < most_phases ? left : most_phases);
    pause(nanoseconds);
    const std::uint32_t time = brief_clock();
    prompt = prompt && time - last <= longest_gap + cycles_per_nanosecond * nanoseconds;
    last = time;
  }
  return prompt;
}

/// A copy of `*source`, read past the L1 cache, which shall hold nothing but nodes.
template <typename T>
__device__ T uncached(const T* source) {
  static_assert(sizeof(T) % sizeof(std::uint32_t) == 0);
  union {
    T value;
    std::uint32_t words[sizeof(T) / sizeof(std::uint32_t)];
  } copy;
  const auto* words = reinterpret_cast<const std::uint32_t*>(source);
#pragma unroll
  for (std::size_t i = 0; i < sizeof(T) / sizeof(std::uint32_t); ++i) copy.words[i] = __ldcg(words + i);
  return copy.value;
}

/// The part that this CTA executes: that of its SM if no other CTA has claimed it, else one without a program.
__device__ PartTask claim(const Wave& wave) {
  PartTask nothing{};
  nothing.program = no_program;
  atomicAdd(wave.started, 1U);
  const std::uint32_t sm = sm_id();
  if (sm >= wave.sms || atomicExch(wave.claimed + sm, 1U) != 0) return nothing;
  return uncached(wave.parts + sm);
}

/// Waits until all CTAs of the launch have started, at most `placement_timeout`.
__device__ void wait_for_all_ctas(const Wave& wave) {
  const std::int64_t begin = clock64();
  while (load_volatile(wave.started) < gridDim.x && clock64() - begin < placement_timeout) pause();
}

}  // namespace

}  // namespace tomograph::cuda

#endif
