#include <cuda_runtime.h>

#include "kernels.hpp"
#include "tomograph/cuda/ptx.cuh"

namespace tomograph::l2_persistence {

namespace {

/// Eight such CTAs are as many threads as an SM holds.
constexpr std::uint32_t threads = 256;

/// Loads past L1, which would serve the timed loads.
__device__ __forceinline__ uint4 load_vector(const std::byte* at) {
  uint4 loaded;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(loaded.x), "=r"(loaded.y), "=r"(loaded.z), "=r"(loaded.w)
               : "l"(at)
               : "memory");
  return loaded;
}

__device__ __forceinline__ std::uint32_t load_word(const std::byte* at) {
  std::uint32_t loaded;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(loaded) : "l"(at) : "memory");
  return loaded;
}

__global__ void __launch_bounds__(threads) load(const std::byte* memory, std::size_t bytes, std::uint32_t* unused) {
  std::uint32_t seen = 0;
  const std::size_t step = std::size_t{gridDim.x} * threads * sizeof(uint4);
  for (std::size_t at = (std::size_t{blockIdx.x} * threads + threadIdx.x) * sizeof(uint4); at < bytes; at += step) {
    const uint4 loaded = load_vector(memory + at);
    seen |= loaded.x | loaded.y | loaded.z | loaded.w;
  }
  // Memory holds zeros. ptxas cannot know, and so keeps the loads.
  if (seen != 0) *unused = seen;
}

__global__ void __launch_bounds__(1) time(Samples samples, std::uint32_t* cycles) {
  __shared__ volatile std::uint32_t sink;
  std::size_t line = samples.first;
  for (std::uint32_t i = 0; i < samples.count; ++i) {
    const std::uint64_t begin = cuda::sm_cycles();
    // The store needs the word, and the clock is read behind it.
    sink = load_word(samples.memory + line * line_bytes);
    cycles[i] = static_cast<std::uint32_t>(cuda::sm_cycles() - begin);
    line = (line + samples.step) % samples.lines;
  }
}

}  // namespace

cudaError_t load_all(const std::byte* memory, std::size_t bytes, std::uint32_t ctas, std::uint32_t* unused,
                     cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  load<<<ctas, threads, 0, stream>>>(memory, bytes, unused);
  return cudaGetLastError();
}

cudaError_t time_loads(const Samples& samples, std::uint32_t* cycles, cudaStream_t stream) {
  time<<<1, 1, 0, stream>>>(samples, cycles);
  return cudaGetLastError();
}

}  // namespace tomograph::l2_persistence
