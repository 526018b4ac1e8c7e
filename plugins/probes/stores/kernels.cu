#include "kernels.hpp"
#include "tomograph/cuda/launch.hpp"
#include "tomograph/cuda/ptx.cuh"

namespace tomograph::stores {

namespace {

__device__ std::uint32_t load(const std::uint32_t* word) {
  std::uint32_t value;
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}

__device__ void store(std::uint32_t* word, std::uint32_t value) {
  asm volatile("st.global.wb.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

/// Waits until accesses have ended. A fence for the GPU would empty the L1.
__device__ void settle() {
  constexpr std::uint64_t longest = 10'000;  // cycles; loads from memory take a thousand
  const std::uint64_t begin = cuda::sm_cycles();
  while (cuda::sm_cycles() - begin < longest) continue;
}

/// The store to shared memory needs the value, and the clock is read behind it.
__device__ std::int64_t timed_load(const std::uint32_t* word, volatile std::uint32_t* sink) {
  const std::uint64_t begin = cuda::sm_cycles();
  *sink = load(word);
  return static_cast<std::int64_t>(cuda::sm_cycles() - begin);
}

__global__ void access_lines(Accesses accesses, std::int64_t* cycles) {
  __shared__ std::uint32_t sink;
  // Its code and shared memory are used once before the lines that count.
  for (std::uint32_t line = 0; line <= accesses.lines; ++line) {
    std::uint32_t* word = accesses.words + static_cast<std::size_t>(line) * accesses.stride;
    if (accesses.loads_first) sink = load(word);
    if (accesses.stores) store(word + accesses.stored_at, line);
    settle();
    const std::int64_t time = timed_load(word, &sink);
    if (line > 0) cycles[line - 1] = time;
  }
}

constexpr std::uint32_t lanes = 32;  // of a warp of every GPU
constexpr std::uint32_t sector_bytes = 32;
constexpr std::uint32_t words_of_sector = sector_bytes / 4;

/// Stores one lap to the lines of a warp. Each store writes `writes_of_store` sectors, or a word of each.
template <Order order>
__device__ __forceinline__ void write_lap(std::byte* lines, std::uint32_t lane, std::uint32_t value) {
  if constexpr (order == Order::sectors) {
#pragma unroll
    for (std::uint32_t line = 0; line < lines_of_warp; ++line) {
      store(reinterpret_cast<std::uint32_t*>(lines + line * line_bytes) + lane, value);
    }
  } else if (lane < writes_of_store) {
    std::byte* const sector = lines + lane * sector_bytes;
#pragma unroll
    for (std::uint32_t i = 0; i < lines_of_warp * words_of_sector; ++i) {
      auto* const words = reinterpret_cast<std::uint32_t*>(sector + i / words_of_sector * line_bytes);
      store(words + i % words_of_sector, value);
    }
  }
}

template <Order order>
__global__ void __launch_bounds__(warps_of_cta* lanes)
    write_laps(std::byte* memory, std::uint32_t laps, CtaTime* times) {
  std::byte* const lines =
      memory + std::size_t{blockIdx.x} * cta_bytes + threadIdx.x / lanes * lines_of_warp * line_bytes;
  const std::uint64_t begin = cuda::device_nanoseconds();
#pragma unroll 1
  for (std::uint32_t lap = 0; lap < laps; ++lap) write_lap<order>(lines, threadIdx.x % lanes, lap);
  __threadfence();  // until the stores have ended
  __syncthreads();
  if (threadIdx.x == 0) times[blockIdx.x] = {begin, cuda::device_nanoseconds()};
}

/// Threads of a CTA: several CTAs fit on every SM.
constexpr std::uint32_t threads_of_sweep = 256;

/// Loads past L1.
__device__ __forceinline__ uint4 load_vector(const uint4* at) {
  uint4 loaded;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(loaded.x), "=r"(loaded.y), "=r"(loaded.z), "=r"(loaded.w)
               : "l"(at)
               : "memory");
  return loaded;
}

__device__ __forceinline__ void store_zeros(uint4* at) {
  asm volatile("st.global.wb.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(at), "r"(0) : "memory");
}

template <bool stores>
__global__ void __launch_bounds__(threads_of_sweep) sweep_all(uint4* memory, std::size_t vectors, CtaTime* times) {
  const std::uint64_t begin = cuda::device_nanoseconds();
  std::uint32_t seen = 0;
  const std::size_t step = std::size_t{gridDim.x} * threads_of_sweep;
#pragma unroll 4
  for (std::size_t i = std::size_t{blockIdx.x} * threads_of_sweep + threadIdx.x; i < vectors; i += step) {
    if constexpr (stores) {
      store_zeros(memory + i);
    } else {
      const uint4 loaded = load_vector(memory + i);
      seen |= loaded.x | loaded.y | loaded.z | loaded.w;
    }
  }
  // Memory holds zeros. ptxas cannot know, and so waits for the loads.
  if (seen != 0) asm volatile("trap;");
  __syncthreads();
  if (threadIdx.x == 0) times[blockIdx.x] = {begin, cuda::device_nanoseconds()};
}

}  // namespace

cudaError_t sweep(bool stores, std::byte* memory, std::size_t bytes, std::uint32_t ctas, CtaTime* times,
                  cudaStream_t stream) {
  const auto kernel = stores ? sweep_all<true> : sweep_all<false>;
  kernel<<<ctas, threads_of_sweep, 0, stream>>>(reinterpret_cast<uint4*>(memory), bytes / sizeof(uint4), times);
  return cudaGetLastError();
}

cudaError_t resident_sweeps(std::uint32_t* per_sm) {
  int storing = 0;
  int loading = 0;
  cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&storing, sweep_all<true>, threads_of_sweep, 0);
  if (error == cudaSuccess) {
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&loading, sweep_all<false>, threads_of_sweep, 0);
  }
  *per_sm = static_cast<std::uint32_t>(storing < loading ? storing : loading);
  return error;
}

cudaError_t write(Order order, std::byte* memory, std::uint32_t ctas, std::uint32_t dynamic_shared, std::uint32_t laps,
                  CtaTime* times, cudaStream_t stream) {
  const cuda::Grid grid{ctas, warps_of_cta * lanes, dynamic_shared, 1, stream};
  const auto kernel = order == Order::sectors ? write_laps<Order::sectors> : write_laps<Order::words>;
  return cuda::prepare_and_launch(kernel, grid, memory, laps, times);
}

cudaError_t access(const Accesses& accesses, std::int64_t* cycles) {
  access_lines<<<1, 1, 0, accesses.stream>>>(accesses, cycles);
  return cudaGetLastError();
}

}  // namespace tomograph::stores
