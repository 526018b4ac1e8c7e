#ifndef TOMOGRAPH_TMA_LAUNCH_CUH
#define TOMOGRAPH_TMA_LAUNCH_CUH

#include "copies.cuh"
#include "tomograph/cuda/launch.hpp"

/// How kernels that copy tiles are launched.
namespace tomograph::tma {

namespace {

/// The grid of `copies`. CTAs take so much shared memory that an SM holds no more than the requested number.
cudaError_t find_grid(const Copies& copies, cuda::Grid& grid) {
  int device = 0;
  int per_sm = 0;
  int reserved = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&per_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
  }
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, device);
  }
  if (error != cudaSuccess) return error;
  const std::uint32_t fair =
      static_cast<std::uint32_t>(per_sm) / (copies.ctas_per_sm + 1) - static_cast<std::uint32_t>(reserved);
  const std::uint32_t tiles = copies.stages * copies.tile + alignment;
  grid = {copies.ctas, threads, tiles < fair ? fair + 16 : tiles, copies.cluster, copies.stream};
  return cudaSuccess;
}

/// Starts `kernel` with the grid of `copies`.
template <typename... Parameters, typename... Arguments>
cudaError_t start(void (*kernel)(Parameters...), const Copies& copies, const Arguments&... arguments) {
  cuda::Grid grid;
  const cudaError_t error = find_grid(copies, grid);
  return error != cudaSuccess ? error : cuda::prepare_and_launch(kernel, grid, arguments...);
}

}  // namespace

}  // namespace tomograph::tma

#endif
