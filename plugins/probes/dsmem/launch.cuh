#ifndef TOMOGRAPH_DSMEM_LAUNCH_CUH
#define TOMOGRAPH_DSMEM_LAUNCH_CUH

#include "kernels.hpp"
#include "tomograph/cuda/launch.hpp"
#include "tomograph/cuda/ptx.cuh"

/// How kernels of clusters are launched.
namespace tomograph::dsmem {

namespace {

/// The grid of `shape` with `threads` per CTA.
inline cuda::Grid grid_of(const Shape& shape, std::uint32_t threads) {
  return {shape.cluster * shape.clusters, threads, shape.shared_bytes, shape.cluster, shape.stream};
}

}  // namespace

}  // namespace tomograph::dsmem

#endif
