#ifndef TOMOGRAPH_CUDA_L2_LINES_STARTING_CUH
#define TOMOGRAPH_CUDA_L2_LINES_STARTING_CUH

#include <cstdint>

#include "cuda/chase/rendezvous.cuh"

namespace tomograph::cuda {

namespace {

/// Time, in cycles, after which CTAs no longer wait for others that cannot be placed: 0.5 ms at 2 GHz.
constexpr std::int64_t start_timeout = 1'000'000;

/// Waits until all CTAs of the launch run. Returns whether they do.
__device__ bool start_together(std::uint32_t* started) {
  atomicAdd(started, 1U);
  const std::int64_t begin = clock64();
  while (load_volatile(started) < gridDim.x) {
    if (clock64() - begin > start_timeout) return false;
  }
  return true;
}

}  // namespace

}  // namespace tomograph::cuda

#endif
