#ifndef TOMOGRAPH_CUDA_CHASE_CHASE_KERNEL_CUH
#define TOMOGRAPH_CUDA_CHASE_CHASE_KERNEL_CUH

#include "cuda/chase/code_array.cuh"
#include "cuda/chase/gaps.cuh"
#include "cuda/chase/kernels.hpp"
#include "cuda/chase/loads.cuh"
#include "cuda/chase/rendezvous.cuh"
#include "tomograph/abi/chase.h"

/// The kernel that follows rings. Each module that includes it has its own bank of constant memory.
namespace tomograph::cuda {

namespace {

/// Delay, in cycles, from the barrier before a phase to its start. It exceeds the time that the warps of a CTA take
/// from one barrier to the next, so that the other warps wait at the next barrier when timing begins. Seen on an H200.
constexpr std::uint64_t barrier_cycles = 500;
/// Loads with which each phase warms up the instruction caches, on the scratch node: one pass of all loops of
/// `follow`. The scratch node's line is not touched again, so that any replacement policy soon evicts it.
constexpr std::uint64_t warm_up_loads = long_block + short_block + 1;
/// Cycles within which a block of code is fetched from anywhere and executed: 1000 on an H200.
constexpr std::uint64_t longest_fetch = 2000;

__constant__ std::uint64_t constants[8192];

/// The load paths that a kernel knows.
enum class Paths { all, constant, code };

__device__ __forceinline__ std::uint32_t warp() { return threadIdx.x / warp_threads; }

/// Whether this thread's warp is one in which a single thread is timed.
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

/// Layout of a CTA's dynamic shared memory.
struct DynamicShared {
  std::uint64_t arrays;  ///< address in shared memory
  std::uint64_t* slots;
};

__device__ DynamicShared dynamic_shared(const PartTask& part) {
  extern __shared__ std::uint64_t dynamic[];
  if (part.shared_bytes == 0) return {0, dynamic};
  const std::uint64_t begin = __cvta_generic_to_shared(dynamic);
  const std::uint64_t arrays = (begin + inner_alignment - 1) / inner_alignment * inner_alignment;
  return {arrays, dynamic + (arrays - begin + part.shared_bytes) / sizeof(std::uint64_t)};
}

/// Calls `write` with the offsets of every `step`th node, from node number `first` on, and of its successor.
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

/// Writes the program's rings to shared memory, with all threads of the CTA.
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

/// Waits until the CTA's other warps wait at the barrier after the phase.
__device__ __forceinline__ void wait_for_other_warps() {
  if (blockDim.x == warp_threads) return;
  __syncthreads();
  const std::uint64_t begin = sm_cycles();
  while (sm_cycles() - begin < barrier_cycles) {
  }
}

template <typename Load>
__device__ __forceinline__ void run_phase(const PhaseTask& phase, std::uint64_t node, std::uint64_t texture,
                                          std::uint64_t loads, std::uint64_t origin, std::uint64_t* slots,
                                          GapTimer& watch) {
  if (loads != 0) Load::prefetch_descriptor(phase.texture);
  wait_for(node);
  wait_for_other_warps();
  if (phase.timing == TOMOGRAPH_TIMED_EACH) {
    if (is_timed(phase)) follow_each<Load>(node, texture, loads, origin, slots, watch);
  } else if (phase.threads > 1) {
    __syncthreads();
    const std::uint64_t begin = sm_cycles();
    follow<Load>(node, texture, loads, watch);
    wait_for(node);
    __syncthreads();
    const std::uint64_t end = sm_cycles();
    if (threadIdx.x == 0 && phase.timing == TOMOGRAPH_TIMED_TOTAL) *slots = end - begin;
  } else if (is_timed(phase)) {
    const std::uint64_t begin = sm_cycles();
    follow<Load>(node, texture, loads, watch);
    const std::uint64_t end = clock_after(node);
    if (phase.timing == TOMOGRAPH_TIMED_TOTAL) *slots = end - begin;
  }
  wait_for(node);
}

/// The same on a ring of code. It warms up on a block that no program has.
__device__ __forceinline__ void run_code_phase(const PhaseTask& phase, bool warm_up, std::uint32_t start,
                                               std::uint64_t loads, std::uint64_t* slots, GapTimer& watch) {
  const CodeRing ring = warm_up ? CodeRing{1, 1, 0} : CodeRing::unpacked(phase.texture);
  const std::uint32_t block = warm_up ? code_blocks : start;
  wait_for_other_warps();
  if (!is_timed(phase)) return;
  watch.read();
  if (phase.timing == TOMOGRAPH_TIMED_EACH) {
    follow_code_ring<true>(ring, block, loads, slots);
  } else {
    const std::uint64_t begin = sm_cycles();
    follow_code_ring<false>(ring, block, loads, slots);
    const std::uint64_t end = sm_cycles();
    if (phase.timing == TOMOGRAPH_TIMED_TOTAL) *slots = end - begin;
  }
  watch.read_after(loads * longest_fetch);
}

/// Runs the phase on its ring, or warms up on the scratch node of its load path. In shared memory, where nothing is
/// cached, it warms up on the ring itself.
template <Paths paths>
__device__ __forceinline__ void run(const Wave& wave, const PhaseTask& phase, bool warm_up, std::uint64_t first,
                                    std::uint64_t loads, const DynamicShared& own, GapTimer& watch) {
  std::uint64_t* slots = own.slots + phase.slot;
  const std::uint64_t constant = __cvta_generic_to_constant(constants);
  if constexpr (paths == Paths::constant) {
    return run_phase<Constant>(phase, constant + (warm_up ? constant_bytes : first), 0, loads, constant, slots, watch);
  }
  if constexpr (paths == Paths::code) {
    if (phase.path == TOMOGRAPH_CONSTANT) {
      return run_phase<Constant>(phase, constant + (warm_up ? constant_bytes : first), 0, loads, constant, slots,
                                 watch);
    }
    return run_code_phase(phase, warm_up, static_cast<std::uint32_t>(first), loads, slots, watch);
  }
  const std::uint64_t global = warm_up ? wave.scratch.node : first;
  const std::uint64_t texel = warm_up ? 0 : first;
  switch (phase.path) {
    case TOMOGRAPH_GLOBAL_CA: return run_phase<GlobalCa>(phase, global, 0, loads, 0, slots, watch);
    case TOMOGRAPH_GLOBAL_CG: return run_phase<GlobalCg>(phase, global, 0, loads, 0, slots, watch);
    case TOMOGRAPH_GLOBAL_NC: return run_phase<GlobalNc>(phase, global, 0, loads, 0, slots, watch);
    case TOMOGRAPH_TEXTURE:
      return run_phase<Texture>(phase, texel, warm_up ? wave.scratch.texture : phase.texture, loads, 0, slots, watch);
    case TOMOGRAPH_TEXTURE_2D:
      return run_phase<Texture2d>(phase, texel, warm_up ? wave.scratch.texture_2d : phase.texture, loads, 0, slots,
                                  watch);
    case TOMOGRAPH_CONSTANT:
      return run_phase<Constant>(phase, constant + (warm_up ? constant_bytes : first), 0, loads, constant, slots,
                                 watch);
    case TOMOGRAPH_SHARED: return run_phase<Shared>(phase, own.arrays + first, 0, loads, own.arrays, slots, watch);
    default: __trap();
  }
}

template <Paths paths>
__device__ __forceinline__ void run_part(const Wave& wave, const PartTask& part, bool warm_up, const DynamicShared& own,
                                         Gaps& gaps) {
  const bool turns = !warm_up && part.parts > 1;
  Rendezvous* rendezvous = wave.rendezvous + part.program;
  std::uint32_t next = part.first_own;
  // A loop along the links of phases made the compiler spill registers to local memory, which takes another page.
#pragma unroll 1
  for (std::uint32_t i = 0; i < part.phases; ++i) {
    if (i != next) continue;
    const PhaseTask phase = uncached(wave.phases + part.first_phase + i);
    next = phase.next;
    if (turns) {
      if (threadIdx.x == 0 && !await_turn(&rendezvous->turn, i, wave.longest_gap)) gaps.note(PartEnd::gap);
      __syncthreads();
    }
    const std::uint32_t start = phase.threads > 1 && takes_part(part, phase) ? worker(part) : 0;
    const std::uint64_t first = uncached(wave.starts + phase.first_start + start);
    std::uint64_t loads = own_loads(part, phase);
    if (warm_up && loads > warm_up_loads) loads = warm_up_loads;
    GapTimer watch{turns || i == part.first_own ? brief_clock() : gaps.last, 0};
    run<paths>(wave, phase, warm_up, first, loads, own, watch);
    if (!warm_up && takes_part(part, phase)) {
      watch.read();
      gaps.note(watch, phase, wave.longest_gap);
      gaps.last = watch.last;
    }
    __syncthreads();
    // The last load of every thread has arrived, so the next part may begin.
    if (turns && threadIdx.x == 0) store_volatile(&rendezvous->turn, i + 1);
  }
}

/// Whether this thread has no work. A timed thread must be alone in its warp: on an H200, lanes that wait to reconverge
/// add cycles to each of its loads.
__device__ bool may_exit(const PartTask& part) {
  return in_timed_warp(part) ? threadIdx.x % warp_threads != 0 : worker(part) >= part.workers;
}

template <Paths paths>
__global__ void __launch_bounds__(most_threads, 1) chase(Wave given) {
  // Parameters lie in constant memory, and reading them between phases would disturb the constant caches.
  __shared__ Wave wave;
  __shared__ PartTask part;
  __shared__ Gaps gaps;
  if (threadIdx.x == 0) {
    gaps.seen = 0;
    wave = given;
    part = claim(wave);
    if (part.program != no_program || wave.idle_ctas_wait) wait_for_all_ctas(wave);
    if (part.program != no_program) {
      if (part.parts > 1 && !meet(&wave.rendezvous[part.program].present, part.parts, rendezvous_timeout))
        part.program = no_program;
    }
  }
  __syncthreads();
  if (part.program == no_program) return;
  const DynamicShared own = dynamic_shared(part);
  write_shared_rings(wave, part, own.arrays);
  __syncthreads();
  if (may_exit(part)) return;
    // A loop, so that the warm-up fetches the instructions that are timed afterwards.
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    run_part<paths>(wave, part, pass == 0, own, gaps);
    // The fence invalidates what the warm-up left in the L1 cache.
    __threadfence();
  }
  if (threadIdx.x != 0) return;
  for (std::uint32_t i = 0; i < part.slots; ++i) wave.output[part.output + i] = own.slots[i];
  wave.done[sm_id()] = PartEnd::done | gaps.seen;
}

}  // namespace

}  // namespace tomograph::cuda

#endif
