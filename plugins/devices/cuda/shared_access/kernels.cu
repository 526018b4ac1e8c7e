#include "cuda/chase/loads.cuh"
#include "cuda/shared_access/kernels.hpp"
#include "tomograph/abi/shared_access.h"
#include "tomograph/cuda/meeting.cuh"
#include "tomograph/cuda/ptx.cuh"

namespace tomograph::cuda {

namespace {

/// Delay, in cycles, from the arrival of the last CTA to the start: time for all warps to read the start from memory.
/// Chosen on an H200.
constexpr std::int64_t start_delay_cycles = 4000;
/// Delay, in cycles, from the start of the empty pass to the start of the timed one. The empty pass is over by then:
/// chosen on an H200.
constexpr std::int64_t empty_pass_cycles = 1024;
/// Timeout, in cycles, for all CTAs to arrive: 0.13 s at 2 GHz. After that, other processes keep the GPU busy.
constexpr std::int64_t start_timeout_cycles = std::int64_t{1} << 28U;
/// Instructions between two branches. A branch costs tens of cycles on an H200, which nothing hides in a single warp.
constexpr std::uint32_t unrolled_instructions = 256;

/// What a lane accesses with one instruction. Its first word holds the address that it is loaded from. Stores are
/// volatile, since ptxas merges plain ones to the same address.
template <int width>
struct Word;

template <>
struct Word<4> {
  std::uint32_t first;
  __device__ __forceinline__ void load() { asm volatile("ld.shared.u32 %0, [%0];" : "+r"(first)::"memory"); }
  __device__ __forceinline__ void store(std::uint32_t to) const {
    asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(to), "r"(first) : "memory");
  }
};

template <>
struct Word<8> {
  std::uint32_t first, second = 0;
  __device__ __forceinline__ void load() {
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%0];" : "+r"(first), "=r"(second)::"memory");
  }
  __device__ __forceinline__ void store(std::uint32_t to) const {
    asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %2};" ::"r"(to), "r"(first), "r"(second) : "memory");
  }
};

template <>
struct Word<16> {
  std::uint32_t first, second = 0, third = 0, fourth = 0;
  __device__ __forceinline__ void load() {
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%0];"
                 : "+r"(first), "=r"(second), "=r"(third), "=r"(fourth)::"memory");
  }
  __device__ __forceinline__ void store(std::uint32_t to) const {
    asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(first), "r"(second), "r"(third),
                 "r"(fourth)
                 : "memory");
  }
};

template <int width, int operation, int streams>
struct Streams {
  Word<width> words[streams];
  std::uint32_t targets[streams];

  __device__ __forceinline__ void access() {
    if constexpr (operation != TOMOGRAPH_SHARED_STORE) load();
    if constexpr (operation != TOMOGRAPH_SHARED_LOAD) {
#pragma unroll
      for (int i = 0; i < streams; ++i) words[i].store(targets[i]);
    }
  }

  __device__ __forceinline__ void load() {
#pragma unroll
    for (int i = 0; i < streams; ++i) words[i].load();
  }

  __device__ __forceinline__ void access(std::uint32_t times) {
    // Six streams count as eight, so that numbers of accesses that are powers of two leave no remainder.
    constexpr std::uint32_t unrolled =
        unrolled_instructions / ((streams == 6 ? 8 : streams) * (operation == TOMOGRAPH_SHARED_COPY ? 2 : 1));
#pragma unroll 1
    for (std::uint32_t blocks = times / unrolled; blocks != 0; --blocks) {
#pragma unroll
      for (std::uint32_t i = 0; i < unrolled; ++i) access();
    }
#pragma unroll 1
    for (std::uint32_t rest = times % unrolled; rest != 0; --rest) access();
    // Shared memory serves a warp's accesses in order: the load returns after the last store.
    if constexpr (operation == TOMOGRAPH_SHARED_STORE) load();
  }

  /// A value that depends on the last load of every stream and is never all ones.
  __device__ __forceinline__ std::uint64_t last() const {
    std::uint32_t combined = 0;
#pragma unroll
    for (int i = 0; i < streams; ++i) combined ^= words[i].first;
    return combined;
  }
};

__device__ __forceinline__ void wait_until(std::uint64_t clock) {
  while (sm_cycles() < clock) {
  }
}

/// Waits for all CTAs of the launch and then sets the start of this SM, if this CTA is the first on its SM.
__device__ void set_start(unsigned int* arrived, SmReport* sm) {
  const bool is_first = atomicAdd(&sm->ctas, 1ULL) == 0;
  atomicAdd(arrived, 1U);
  if (!is_first) return;
  const std::int64_t begin = clock64();
  while (load_volatile(arrived) < gridDim.x) {
    if (clock64() - begin > start_timeout_cycles) {
      atomicExch(&sm->start, start_cancelled);
      return;
    }
  }
  atomicExch(&sm->start, static_cast<unsigned long long>(clock64() + start_delay_cycles));
}

/// The clock at which this SM starts. The first warp of each CTA calls it.
__device__ std::uint64_t agree_on_start(unsigned int* arrived, SmReport* sm) {
  if (threadIdx.x == 0) set_start(arrived, sm);
  unsigned long long start = 0;
  while (start == 0) start = load_volatile(&sm->start);
  return start;
}

/// Synchronizes the CTA and reconverges the lanes of each warp: lanes that have diverged access memory one after
/// another.
__device__ __forceinline__ void reconverge(std::uint32_t lanes) {
  __syncthreads();
  __syncwarp(lanes);
}

/// CTAs of 1024 threads for which an SM must have enough registers: two, which fill an SM, where a thread needs few.
template <int width, int operation, int streams>
constexpr int least_ctas() {
  const int targets = operation == TOMOGRAPH_SHARED_LOAD ? 0 : 1;
  if (targets != 0 && width == 16) return 1;
  return (width / 4 + targets) * streams <= 8 ? 2 : 1;
}

template <int width, int operation, int streams>
__global__ void __launch_bounds__(1024, (least_ctas<width, operation, streams>())) access_shared(AccessTask task) {
  const std::uint32_t number = sm_id();
  // Numbers of SMs need not be dense. The others wait for all CTAs.
  if (number >= task.sm_count) {
    if (threadIdx.x == 0) atomicAdd(task.arrived, 1U);
    return;
  }
  extern __shared__ __align__(1024) std::uint32_t memory[];
  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(memory));
  // Every word holds its own address.
  for (std::uint32_t i = threadIdx.x; i < task.words; i += blockDim.x) memory[i] = base + 4 * i;
  __syncthreads();
  const std::uint32_t lane = threadIdx.x % 32;
  if (lane >= task.lanes) return;
  const std::uint32_t lanes = 0xffffffffU >> (32 - task.lanes);

  const std::uint32_t address = base + task.offsets[lane] + threadIdx.x / 32 * task.warp_shift;
  Streams<width, operation, streams> all;
#pragma unroll
  for (int i = 0; i < streams; ++i) {
    all.words[i].first = address + static_cast<std::uint32_t>(i) * task.stream_shift;
    all.targets[i] = all.words[i].first + task.store_shift;
  }
  SmReport* sm = task.sms + number;
  // A single warp polls the clock: reading it is slow, and several polling warps delay each other.
  const bool has_clock = threadIdx.x < 32;
  std::uint64_t start = 0;
  std::uint64_t begin[2];
  std::uint64_t end[2];
  // A loop, so that the first pass fetches the instructions that are timed afterwards: an empty loop in the second
  // pass, all accesses in the third.
#pragma unroll 1
  for (int pass = 0; pass < 3; ++pass) {
    if (pass == 1) {
      if (has_clock) start = agree_on_start(task.arrived, sm);
      if (__syncthreads_or(start == start_cancelled ? 1 : 0) != 0) return;
    }
    if (pass > 0 && has_clock) wait_until(start + (pass == 2 ? empty_pass_cycles : 0));
    const std::uint32_t warm_up_accesses = min(task.accesses, 2 * unrolled_instructions);
    reconverge(lanes);
    const std::uint64_t from = sm_cycles();
    all.access(pass == 0 ? warm_up_accesses : pass == 1 ? 0 : task.accesses);
    wait_for(all.last());
    __syncthreads();
    const std::uint64_t to = sm_cycles();
    begin[0] = pass == 1 ? from : begin[0];
    end[0] = pass == 1 ? to : end[0];
    begin[1] = from;
    end[1] = to;
  }

  bool wrong = false;
#pragma unroll
  for (int i = 0; i < streams; ++i) {
    wrong |= all.words[i].first != address + static_cast<std::uint32_t>(i) * task.stream_shift;
  }
  if (wrong) atomicAdd(&sm->wrong, 1ULL);
  if (threadIdx.x != 0) return;
  atomicMax(&sm->empty_first_begin, ~(begin[0] - start));
  atomicMax(&sm->empty_last_end, end[0] - start);
  atomicMax(&sm->first_begin, ~(begin[1] - start));
  atomicMax(&sm->last_begin, begin[1] - start);
  atomicMax(&sm->last_end, end[1] - start);
}

template <int width, int operation>
const void* of_streams(std::int64_t streams) {
  switch (streams) {
    case 1: return reinterpret_cast<const void*>(access_shared<width, operation, 1>);
    case 2: return reinterpret_cast<const void*>(access_shared<width, operation, 2>);
    case 4: return reinterpret_cast<const void*>(access_shared<width, operation, 4>);
    case 6: return reinterpret_cast<const void*>(access_shared<width, operation, 6>);
    case 8: return reinterpret_cast<const void*>(access_shared<width, operation, 8>);
    default: return nullptr;
  }
}

template <int width>
const void* of_operation(std::int64_t operation, std::int64_t streams) {
  switch (operation) {
    case TOMOGRAPH_SHARED_LOAD: return of_streams<width, TOMOGRAPH_SHARED_LOAD>(streams);
    case TOMOGRAPH_SHARED_COPY: return of_streams<width, TOMOGRAPH_SHARED_COPY>(streams);
    case TOMOGRAPH_SHARED_STORE: return of_streams<width, TOMOGRAPH_SHARED_STORE>(streams);
    default: return nullptr;
  }
}

}  // namespace

const void* access_kernel(std::int64_t width, std::int64_t operation, std::int64_t streams) {
  switch (width) {
    case 4: return of_operation<4>(operation, streams);
    case 8: return of_operation<8>(operation, streams);
    case 16: return of_operation<16>(operation, streams);
    default: return nullptr;
  }
}

}  // namespace tomograph::cuda
