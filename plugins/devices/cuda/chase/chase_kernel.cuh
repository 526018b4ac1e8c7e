#ifndef TOMOGRAPH_CUDA_CHASE_CHASE_KERNEL_CUH
#define TOMOGRAPH_CUDA_CHASE_CHASE_KERNEL_CUH

#include "cuda/chase/code_array.cuh"
#include "cuda/chase/kernels.hpp"
#include "cuda/chase/loads.cuh"
#include "tomograph/abi/chase.h"

/// The kernel that follows rings. Each module that includes it has a bank of constant memory of its own.

namespace tomograph::cuda {

namespace {

/// Long enough for CTAs without work to have come and gone, in cycles. A CTA that cannot be placed while the
/// others wait must not block them for ever.
constexpr std::int64_t settling_cycles = 100'000;
constexpr std::int64_t meeting_cycles = 4'000'000;
/// Longer than all warps of a CTA take from one barrier to the next.
constexpr std::uint64_t parting_cycles = 500;
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

__device__ void pause(std::uint32_t nanoseconds = 100) {
#if __CUDA_ARCH__ >= 700
  __nanosleep(nanoseconds);
#endif
}

/// Waits until it is the turn of phase `own`. No phase takes less than the pause for it, and those who wait for longer
/// ask less often: a hundred SMs that keep asking for one word delay those that work.
__device__ void await_turn(const std::uint32_t* turn, std::uint32_t own) {
  constexpr std::uint32_t phase_nanoseconds = 100;
  constexpr std::uint32_t most_phases = 1000;
  for (std::uint32_t now = peek(turn); now != own; now = peek(turn)) {
    const std::uint32_t left = own - now;
    pause(phase_nanoseconds * (left < most_phases ? left : most_phases));
  }
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

__constant__ std::uint64_t constants[8192];

/// The load paths that a kernel knows.
enum class Paths { all, constant, code };

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

__device__ __forceinline__ std::uint32_t warp() { return threadIdx.x / warp_threads; }

/// Whether a thread that is timed is alone in this thread's warp.
__device__ __forceinline__ bool in_timed_warp(const PartTask& part) { return (part.timed_warps >> warp() & 1U) != 0; }

/// Number of this thread among those that follow rings together, the threads of the other warps.
__device__ __forceinline__ std::uint32_t worker(const PartTask& part) {
  return threadIdx.x - warp_threads * static_cast<std::uint32_t>(__popc(part.timed_warps & ((1U << warp()) - 1)));
}

__device__ __forceinline__ bool is_timed(const PhaseTask& phase) {
  return phase.threads == 1 && threadIdx.x == phase.warp * warp_threads;
}

__device__ __forceinline__ bool takes_part(const PartTask& part, const PhaseTask& phase) {
  if (phase.threads == 1) return is_timed(phase);
  return !in_timed_warp(part) && worker(part) < phase.threads;
}

/// The share of this thread in the loads of a phase.
__device__ __forceinline__ std::uint64_t own_loads(const PartTask& part, const PhaseTask& phase) {
  if (!takes_part(part, phase)) return 0;
  if (phase.threads == 1) return phase.loads;
  return phase.loads / phase.threads + (worker(part) < phase.loads % phase.threads ? 1 : 0);
}

/// What a CTA's dynamic shared memory holds.
struct Room {
  std::uint64_t arrays;  ///< address in shared memory
  std::uint64_t* slots;
};

__device__ Room room(const PartTask& part) {
  extern __shared__ std::uint64_t dynamic[];
  if (part.shared_bytes == 0) return {0, dynamic};
  const std::uint64_t begin = __cvta_generic_to_shared(dynamic);
  const std::uint64_t arrays = (begin + inner_alignment - 1) / inner_alignment * inner_alignment;
  return {arrays, dynamic + (arrays - begin + part.shared_bytes) / sizeof(std::uint64_t)};
}

/// Calls `write` with the offset of each node and of the one after it. Every `step`th node is this thread's.
template <typename Write>
__device__ __forceinline__ void for_each_node(const RingTask& ring, std::uint64_t first, std::uint64_t step,
                                              Write write) {
  const auto* list = reinterpret_cast<const std::int64_t*>(ring.list);
  const auto offset = [&](std::uint64_t i) {
    return list != nullptr ? __ldcg(reinterpret_cast<const long long*>(list + i))
                           : ring.start + static_cast<std::int64_t>(i) * ring.stride;
  };
  for (std::uint64_t i = first; i < ring.count; i += step) write(offset(i), offset(i + 1 == ring.count ? 0 : i + 1));
}

/// Writes the program's rings in shared memory, with all threads of the CTA.
__device__ void write_shared_rings(const Wave& wave, const PartTask& part, std::uint64_t arrays) {
  for (std::uint32_t i = 0; i < part.rings; ++i) {
    const RingTask ring = uncached(wave.shared_rings + part.first_ring + i);
    const std::uint64_t base = arrays + ring.base;
    for_each_node(ring, threadIdx.x, blockDim.x, [&](std::int64_t node, std::int64_t next) {
      asm volatile("st.shared.u64 [%0], %1;" ::"l"(base + static_cast<std::uint64_t>(node)),
                   "l"(base + static_cast<std::uint64_t>(next))
                   : "memory");
    });
  }
}

/// Waits until the other warps, which were on the same way, wait at the barrier after the phase.
__device__ __forceinline__ void settle() {
  if (blockDim.x == warp_threads) return;
  __syncthreads();
  const std::uint64_t begin = clock_now();
  while (clock_now() - begin < parting_cycles) {
  }
}

template <typename Load>
__device__ __forceinline__ void run_phase(const PhaseTask& phase, std::uint64_t node, std::uint64_t texture,
                                          std::uint64_t loads, std::uint64_t origin, std::uint64_t* slots) {
  if (loads != 0) Load::touch(phase.texture);
  await(node);
  settle();
  if (phase.timing == TOMOGRAPH_TIMED_EACH) {
    if (is_timed(phase)) follow_each<Load>(node, texture, loads, origin, slots);
  } else if (phase.threads > 1) {
    __syncthreads();
    const std::uint64_t begin = clock_now();
    follow<Load>(node, texture, loads);
    await(node);
    __syncthreads();
    const std::uint64_t end = clock_now();
    if (threadIdx.x == 0 && phase.timing == TOMOGRAPH_TIMED_TOTAL) *slots = end - begin;
  } else if (is_timed(phase)) {
    const std::uint64_t begin = clock_now();
    follow<Load>(node, texture, loads);
    const std::uint64_t end = clock_after(node);
    if (phase.timing == TOMOGRAPH_TIMED_TOTAL) *slots = end - begin;
  }
  await(node);
}

/// The same on a ring of code. It is rehearsed on a block that no program has.
__device__ __forceinline__ void run_code_phase(const PhaseTask& phase, bool rehearsal, std::uint32_t start,
                                               std::uint64_t loads, std::uint64_t* slots) {
  const CodeRing ring = rehearsal ? CodeRing{1, 1, 0} : CodeRing::unpacked(phase.texture);
  const std::uint32_t block = rehearsal ? code_blocks : start;
  settle();
  if (!is_timed(phase)) return;
  if (phase.timing == TOMOGRAPH_TIMED_EACH) return follow_code_ring<true>(ring, block, loads, slots);
  const std::uint64_t begin = clock_now();
  follow_code_ring<false>(ring, block, loads, slots);
  const std::uint64_t end = clock_now();
  if (phase.timing == TOMOGRAPH_TIMED_TOTAL) *slots = end - begin;
}

/// Runs the phase on its ring, or rehearses it on the scratch node of its load path. In shared memory, where nothing
/// is cached, the ring itself serves for the rehearsal.
template <Paths paths>
__device__ __forceinline__ void run(const Wave& wave, const PhaseTask& phase, bool rehearsal, std::uint64_t first,
                                    std::uint64_t loads, const Room& room) {
  std::uint64_t* slots = room.slots + phase.slot;
  const std::uint64_t constant = __cvta_generic_to_constant(constants);
  if constexpr (paths == Paths::constant) {
    return run_phase<Constant>(phase, constant + (rehearsal ? constant_bytes : first), 0, loads, constant, slots);
  }
  if constexpr (paths == Paths::code) {
    if (phase.path == TOMOGRAPH_CONSTANT) {
      return run_phase<Constant>(phase, constant + (rehearsal ? constant_bytes : first), 0, loads, constant, slots);
    }
    return run_code_phase(phase, rehearsal, static_cast<std::uint32_t>(first), loads, slots);
  }
  const std::uint64_t global = rehearsal ? wave.scratch.node : first;
  const std::uint64_t texel = rehearsal ? 0 : first;
  switch (phase.path) {
    case TOMOGRAPH_GLOBAL_CA: return run_phase<GlobalCa>(phase, global, 0, loads, 0, slots);
    case TOMOGRAPH_GLOBAL_CG: return run_phase<GlobalCg>(phase, global, 0, loads, 0, slots);
    case TOMOGRAPH_GLOBAL_NC: return run_phase<GlobalNc>(phase, global, 0, loads, 0, slots);
    case TOMOGRAPH_TEXTURE:
      return run_phase<Texture>(phase, texel, rehearsal ? wave.scratch.texture : phase.texture, loads, 0, slots);
    case TOMOGRAPH_TEXTURE_2D:
      return run_phase<Texture2d>(phase, texel, rehearsal ? wave.scratch.texture_2d : phase.texture, loads, 0, slots);
    case TOMOGRAPH_CONSTANT:
      return run_phase<Constant>(phase, constant + (rehearsal ? constant_bytes : first), 0, loads, constant, slots);
    case TOMOGRAPH_SHARED: return run_phase<Shared>(phase, room.arrays + first, 0, loads, room.arrays, slots);
    default: __trap();
  }
}

template <Paths paths>
__device__ __forceinline__ void run_part(const Wave& wave, const PartTask& part, bool rehearsal, const Room& room) {
  const bool turns = !rehearsal && part.parts > 1;
  Meeting* meeting = wave.meetings + part.program;
  std::uint32_t next = part.first_own;
  // Counting is quick; a loop along the links made the compiler spill registers, to memory that takes a page of its
  // own.
#pragma unroll 1
  for (std::uint32_t i = 0; i < part.phases; ++i) {
    if (i != next) continue;
    const PhaseTask phase = uncached(wave.phases + part.first_phase + i);
    next = phase.next;
    if (turns) {
      if (threadIdx.x == 0) await_turn(&meeting->turn, i);
      __syncthreads();
    }
    const std::uint32_t start = phase.threads > 1 && takes_part(part, phase) ? worker(part) : 0;
    const std::uint64_t first = uncached(wave.starts + phase.first_start + start);
    std::uint64_t loads = own_loads(part, phase);
    if (rehearsal && loads > rehearsed_loads) loads = rehearsed_loads;
    run<paths>(wave, phase, rehearsal, first, loads, room);
    __syncthreads();
    // The last load of every thread has arrived, so the next part may begin.
    if (turns && threadIdx.x == 0) poke(&meeting->turn, i + 1);
  }
}

/// Whether this thread has nothing to do. A thread that is timed must be alone in its warp: waiting for others to
/// converge again costs every load cycles.
__device__ bool may_leave(const PartTask& part) {
  return in_timed_warp(part) ? threadIdx.x % warp_threads != 0 : worker(part) >= part.workers;
}

template <Paths paths>
__global__ void __launch_bounds__(most_threads, 1) chase(Wave given) {
  // Parameters lie in constant memory, and reading them between phases would disturb the constant caches.
  __shared__ Wave wave;
  __shared__ PartTask part;
  if (threadIdx.x == 0) {
    wave = given;
    part = claim(wave);
    if (part.program != no_program || wave.spreads) wait_for_all_ctas(wave);
    if (part.program != no_program) {
      if (part.parts > 1 && !meet(wave.meetings + part.program, part.parts)) part.program = no_program;
    }
  }
  __syncthreads();
  if (part.program == no_program) return;
  const Room own = room(part);
  write_shared_rings(wave, part, own.arrays);
  __syncthreads();
  if (may_leave(part)) return;
    // A loop, so that the rehearsal fetches the same instructions that are timed afterwards.
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    run_part<paths>(wave, part, pass == 0, own);
    // The fence drops what the rehearsal left in the L1 cache.
    __threadfence();
  }
  if (threadIdx.x != 0) return;
  for (std::uint32_t i = 0; i < part.slots; ++i) wave.output[part.output + i] = own.slots[i];
  wave.done[this_sm()] = 1;
}

}  // namespace

}  // namespace tomograph::cuda

#endif
