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

cudaError_t resident_clusters(std::uint32_t cluster, int* clusters) {
  const cudaError_t error = cuda::prepare(report, shared_bytes);
  if (error != cudaSuccess) return error;
  return cuda::resident_clusters(report, {cluster, 32, shared_bytes, cluster, nullptr}, clusters);
}

cudaError_t report_clusters(const Shape& shape, std::uint64_t cycles, std::uint32_t* seen) {
  return cuda::prepare_and_launch(report, grid_of(shape, 32), cycles, seen);
}

}  // namespace tomograph::dsmem
