#include "cuda/links/kernels.hpp"
#include "tomograph/cuda/ptx.cuh"

namespace tomograph::cuda {

namespace {

/// The address behind `at`, read anew at each access.
template <bool atomic>
__device__ __forceinline__ std::uint64_t next(std::uint64_t at) {
  std::uint64_t value;
  if constexpr (atomic) {
    asm volatile("atom.relaxed.sys.global.add.u64 %0, [%1], 0;" : "=l"(value) : "l"(at) : "memory");
  } else {
    asm volatile("ld.global.cv.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
  }
  return value;
}

template <bool atomic>
__device__ __forceinline__ std::uint64_t follow(std::uint64_t at, std::uint32_t steps) {
#pragma unroll 1
  for (std::uint32_t i = 0; i < steps; ++i) at = next<atomic>(at);
  return at;
}

template <bool atomic>
__global__ void remote_chase(RemoteChaseTask task) {
  std::uint64_t at = follow<atomic>(task.first, task.warm_steps);
  const std::uint64_t begin_ns = device_nanoseconds();
  const std::uint64_t begin = sm_cycles();
#pragma unroll 1
  for (std::uint32_t run = 0; run < task.runs; ++run) {
    const std::uint64_t run_begin = sm_cycles();
    at = follow<atomic>(at, task.steps);
    if (at == 0) break;  // never so, but the clock must not be read before the last access has its result
    task.times->cycles[run] = sm_cycles() - run_begin;
  }
  task.times->all_cycles = sm_cycles() - begin;
  task.times->nanoseconds = device_nanoseconds() - begin_ns;
  task.times->last = at;
}

struct Words {
  std::uint32_t a, b, c, d;
};

__device__ __forceinline__ Words load(const std::byte* from) {
  Words words;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words.a), "=r"(words.b), "=r"(words.c), "=r"(words.d)
               : "l"(from)
               : "memory");
  return words;
}

__device__ __forceinline__ void store(std::byte* to, const Words& words) {
  asm volatile("st.global.wb.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(words.a), "r"(words.b), "r"(words.c),
               "r"(words.d)
               : "memory");
}

constexpr int accesses = sm_transfer_bytes / sizeof(Words);

/// A warp moves one tile after the other. Far memory consists of whole tiles.
template <bool writes>
__global__ void __launch_bounds__(sm_transfer_threads) sm_transfer(SmTransferTask task) {
  constexpr std::uint64_t row = 32 * sizeof(Words);
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::uint64_t first = thread / 32 * row * accesses + thread % 32 * sizeof(Words);
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x * sm_transfer_bytes;
  const auto mark = static_cast<std::uint32_t>(thread);
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t pass = 0; pass < task.passes; ++pass) {
#pragma unroll 1
    for (std::uint64_t at = first; at < task.bytes; at += stride) {
      std::byte* const tile = task.memory + at;
      if constexpr (writes) {
#pragma unroll
        for (int i = 0; i < accesses; ++i) store(tile + i * row, {mark, mark, mark, pass});
      } else {
        Words words[accesses];
#pragma unroll
        for (int i = 0; i < accesses; ++i) words[i] = load(tile + i * row);
#pragma unroll
        for (int i = 0; i < accesses; ++i) sum += words[i].a ^ words[i].b ^ words[i].c ^ words[i].d;
      }
    }
  }
  if (!writes && sum == task.unlikely_sum) *task.sink = sum;
  if (writes) __threadfence_system();
}

}  // namespace

cudaError_t launch_remote_chase(bool atomic, const RemoteChaseTask& task, cudaStream_t stream) {
  if (atomic) {
    remote_chase<true><<<1, 1, 0, stream>>>(task);
  } else {
    remote_chase<false><<<1, 1, 0, stream>>>(task);
  }
  return cudaGetLastError();
}

cudaError_t launch_sm_transfer(bool writes, const SmTransferTask& task, std::uint32_t ctas, cudaStream_t stream) {
  if (writes) {
    sm_transfer<true><<<ctas, sm_transfer_threads, 0, stream>>>(task);
  } else {
    sm_transfer<false><<<ctas, sm_transfer_threads, 0, stream>>>(task);
  }
  return cudaGetLastError();
}

}  // namespace tomograph::cuda
