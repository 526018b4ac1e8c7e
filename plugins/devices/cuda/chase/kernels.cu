#include "cuda/chase/loads.cuh"
#include "cuda/chase/kernels.hpp"
#include "tomograph/abi/chase.h"

namespace tomograph::cuda {

namespace {

/// Long enough for CTAs without work to have come and gone, in cycles. A CTA that cannot be placed while the
/// others wait must not block them for ever.
constexpr std::int64_t settling_cycles = 100'000;
constexpr std::int64_t meeting_cycles = 4'000'000;
/// Loads that a phase is rehearsed with, on the scratch node, to fill the instruction caches: both loops of `follow`
/// are passed once. The node's line is not touched again, so that any policy soon replaces it.
constexpr std::uint64_t rehearsed_loads = unrolled + 1;

__device__ std::uint32_t this_sm() {
  std::uint32_t sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

/// Words that other SMs write are read and written past the L1 cache, and without fences: an acquire or a
/// fence would invalidate the very L1 cache under examination.
__device__ std::uint32_t peek(const std::uint32_t* word) {
  std::uint32_t value;
  asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}

__device__ void poke(std::uint32_t* word, std::uint32_t value) {
  asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

__device__ void pause() {
#if __CUDA_ARCH__ >= 700
  __nanosleep(100);
#endif
}

/// Descriptions are read past the L1 cache, which shall hold nothing but nodes.
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

/// What this CTA shall do: the part of its SM if it is the first CTA there, or nothing.
__device__ PartTask claim(const Wave& wave) {
  PartTask nothing{};
  nothing.program = no_program;
  atomicAdd(wave.started, 1U);
  const std::uint32_t sm = this_sm();
  if (sm >= wave.sms || atomicExch(wave.claimed + sm, 1U) != 0) return nothing;
  return uncached(wave.parts + sm);
}

__device__ void wait_for_all_ctas(const Wave& wave) {
  const std::int64_t begin = clock64();
  while (peek(wave.started) < gridDim.x && clock64() - begin < settling_cycles) pause();
}

/// Whether all parts of the program are there. If one is missing, all that are there give up together.
__device__ bool meet(Meeting* meeting, std::uint32_t parts) {
  std::uint32_t seen = peek(&meeting->present);
  while (seen != meeting_closed) {
    const std::uint32_t before = atomicCAS(&meeting->present, seen, seen + 1);
    if (before == seen) break;
    seen = before;
  }
  const std::int64_t begin = clock64();
  for (;;) {
    seen = peek(&meeting->present);
    if (seen == parts) return true;
    if (seen == meeting_closed) return false;
    if (clock64() - begin > meeting_cycles && atomicCAS(&meeting->present, seen, meeting_closed) == seen) return false;
    pause();
  }
}

/// Number of this thread among those that follow rings together: the CTA's first warp is not one of them.
__device__ __forceinline__ std::uint32_t worker() { return threadIdx.x - warp_threads; }

__device__ __forceinline__ bool takes_part(const PhaseTask& phase) {
  return phase.threads > 1 ? threadIdx.x >= warp_threads && worker() < phase.threads : threadIdx.x == 0;
}

/// The share of this thread in the loads of a phase.
__device__ __forceinline__ std::uint64_t own_loads(const PhaseTask& phase) {
  if (!takes_part(phase)) return 0;
  if (phase.threads == 1) return phase.loads;
  return phase.loads / phase.threads + (worker() < phase.loads % phase.threads ? 1 : 0);
}

template <typename Load>
__device__ __forceinline__ void run_phase(const PhaseTask& phase, std::uint64_t node, std::uint64_t loads,
                                          std::uint64_t* slots) {
  await(node);
  if (phase.timing == TOMOGRAPH_TIMED_EACH) {
    if (threadIdx.x == 0) follow_each<Load>(node, loads, slots);
  } else if (phase.threads > 1) {
    __syncthreads();
    const std::uint64_t begin = clock_now();
    follow<Load>(node, loads);
    await(node);
    __syncthreads();
    const std::uint64_t end = clock_now();
    if (threadIdx.x == 0 && phase.timing == TOMOGRAPH_TIMED_TOTAL) *slots = end - begin;
  } else if (threadIdx.x == 0) {
    const std::uint64_t begin = clock_now();
    follow<Load>(node, loads);
    const std::uint64_t end = clock_after(node);
    if (phase.timing == TOMOGRAPH_TIMED_TOTAL) *slots = end - begin;
  }
  await(node);
}

__device__ __forceinline__ void run_part(const Wave& wave, const PartTask& part, bool rehearsal, std::uint64_t* slots) {
  const bool turns = !rehearsal && part.parts > 1;
  Meeting* meeting = wave.meetings + part.program;
#pragma unroll 1
  for (std::uint32_t i = 0; i < part.phases; ++i) {
    const PhaseTask phase = uncached(wave.phases + part.first_phase + i);
    if (phase.part != part.part) continue;
    if (turns) {
      while (threadIdx.x == 0 && peek(&meeting->turn) != i) pause();
      __syncthreads();
    }
    const std::uint32_t start = phase.threads > 1 && takes_part(phase) ? worker() : 0;
    const std::uint64_t first = uncached(wave.starts + phase.first_start + start);
    const std::uint64_t node = rehearsal ? wave.scratch : first;
    std::uint64_t loads = own_loads(phase);
    if (rehearsal && loads > rehearsed_loads) loads = rehearsed_loads;
    switch (phase.path) {
      case TOMOGRAPH_GLOBAL_CA: run_phase<GlobalCa>(phase, node, loads, slots + phase.slot); break;
      case TOMOGRAPH_GLOBAL_CG: run_phase<GlobalCg>(phase, node, loads, slots + phase.slot); break;
      default: run_phase<GlobalNc>(phase, node, loads, slots + phase.slot); break;
    }
    __syncthreads();
    // The last load of every thread has arrived, so the next part may begin.
    if (turns && threadIdx.x == 0) poke(&meeting->turn, i + 1);
  }
}

__global__ void __launch_bounds__(1024) chase(Wave wave) {
  extern __shared__ std::uint64_t slots[];
  __shared__ PartTask part;
  if (threadIdx.x == 0) {
    part = claim(wave);
    if (part.program != no_program) {
      wait_for_all_ctas(wave);
      if (part.parts > 1 && !meet(wave.meetings + part.program, part.parts)) part.program = no_program;
    }
  }
  __syncthreads();
  if (part.program == no_program) return;
  // The thread that is timed must be alone in its warp: waiting for others to converge again costs every load cycles.
  if (threadIdx.x > 0 && threadIdx.x < warp_threads) return;
    // A loop, so that the rehearsal fetches the same instructions that are timed afterwards.
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    run_part(wave, part, pass == 0, slots);
    // The fence drops what the rehearsal left in the L1 cache.
    __threadfence();
  }
  if (threadIdx.x != 0) return;
  for (std::uint32_t i = 0; i < part.slots; ++i) wave.output[part.output + i] = slots[i];
  wave.done[this_sm()] = 1;
}

__global__ void link(const RingTask* rings) {
  const RingTask ring = rings[blockIdx.x];
  const auto* list = reinterpret_cast<const std::int64_t*>(ring.list);
  const auto address = [&](std::uint64_t i) {
    const std::int64_t offset = list != nullptr ? list[i] : ring.start + static_cast<std::int64_t>(i) * ring.stride;
    return ring.base + static_cast<std::uint64_t>(offset);
  };
  const std::uint64_t step = std::uint64_t{gridDim.y} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.y} * blockDim.x + threadIdx.x; i < ring.count; i += step) {
    *reinterpret_cast<Address*>(address(i)) = address(i + 1 == ring.count ? 0 : i + 1);
  }
}

__global__ void busy(std::int64_t cycles) {
  const std::int64_t begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

}  // namespace

cudaError_t launch_link(const RingTask* rings, std::uint32_t count, std::uint32_t blocks, cudaStream_t stream) {
  link<<<dim3(count, blocks), 256, 0, stream>>>(rings);
  return cudaGetLastError();
}

cudaError_t launch_chase(const Wave& wave, const Shape& shape, cudaStream_t stream) {
  chase<<<shape.ctas, shape.threads, shape.dynamic_shared, stream>>>(wave);
  return cudaGetLastError();
}

cudaError_t launch_busy(std::uint32_t ctas, std::int64_t cycles, cudaStream_t stream) {
  busy<<<ctas, 32, 0, stream>>>(cycles);
  return cudaGetLastError();
}

cudaError_t chase_static_shared(std::size_t& bytes) {
  cudaFuncAttributes attributes{};
  const cudaError_t error = cudaFuncGetAttributes(&attributes, chase);
  bytes = attributes.sharedSizeBytes;
  return error;
}

cudaError_t allow_dynamic_shared(std::uint32_t bytes) {
  return cudaFuncSetAttribute(chase, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
}

cudaError_t prefer_carveout(int percent) {
  // A kernel with another preference would make every SM change its carve-out and back between two waves.
  const cudaError_t error = cudaFuncSetAttribute(link, cudaFuncAttributePreferredSharedMemoryCarveout, percent);
  if (error != cudaSuccess) return error;
  return cudaFuncSetAttribute(chase, cudaFuncAttributePreferredSharedMemoryCarveout, percent);
}

cudaError_t resident_ctas(std::uint32_t threads, std::uint32_t dynamic_shared, int& ctas) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, chase, static_cast<int>(threads), dynamic_shared);
}

}  // namespace tomograph::cuda
