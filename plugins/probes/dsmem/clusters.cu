#include "launch.cuh"

namespace tomograph::dsmem {

namespace {

/// Records SM and cluster size of each CTA, and keeps all CTAs resident for `cycles`.
__global__ void report(std::uint64_t cycles, std::uint32_t* seen) {
#if TOMOGRAPH_HAS_CLUSTERS
  const std::uint64_t begin = cuda::sm_cycles();
  seen[blockIdx.x] = cuda::sm_id() << 16 | cuda::cluster_size();
  while (cuda::sm_cycles() - begin < cycles) {
  }
#endif
}

}  // namespace

cudaError_t built_for(int* capability) { return cuda::built_for(report, capability); }

cudaError_t resident_clusters(const Shape& shape, int* clusters) {
  *clusters = 0;
  cudaError_t error = cuda::prepare(report, shape.shared_bytes);
  if (error != cudaSuccess) return error;
  error = cuda::resident_clusters(report, grid_of(shape, 32), clusters);
  if (error != cudaErrorInvalidClusterSize) return error;
  static_cast<void>(cudaGetLastError());
  return cudaSuccess;
}

cudaError_t report_clusters(const Shape& shape, std::uint64_t cycles, std::uint32_t* seen) {
  return cuda::prepare_and_launch(report, grid_of(shape, 32), cycles, seen);
}

}  // namespace tomograph::dsmem
