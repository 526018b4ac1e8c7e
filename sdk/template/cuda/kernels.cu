// Compiled as C++17: headers of the SDK other than abi/ belong in C++ sources.
#include "kernels.hpp"

namespace {

/// Runs in one thread. Each add adds what the one before returned, so no two of them overlap.
__global__ void add_atomically(std::uint32_t operations, std::uint32_t repetitions, std::uint32_t* cycles) {
  __shared__ std::uint32_t counter;
  counter = 1;
  std::uint32_t value = 1;
  for (std::uint32_t repetition = 0; repetition < repetitions; ++repetition) {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(begin)::"memory");
#pragma unroll 16
    for (std::uint32_t i = 0; i < operations; ++i) value = atomicAdd(&counter, value);
    asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");
    cycles[repetition] = end - begin;
  }
  cycles[repetitions] = value;  // so that the adds are not optimized away
}

}  // namespace

cudaError_t time_atomics(std::uint32_t operations, std::uint32_t repetitions, std::uint32_t* cycles,
                         cudaStream_t stream) {
  add_atomically<<<1, 1, 0, stream>>>(operations, repetitions, cycles);
  return cudaGetLastError();
}
