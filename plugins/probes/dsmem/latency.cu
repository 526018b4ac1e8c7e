#include "launch.cuh"

namespace tomograph::dsmem {

namespace {

/// Nodes of the ring, one row of banks apart.
[[maybe_unused]] constexpr std::uint32_t ring_nodes = 32;
[[maybe_unused]] constexpr std::uint32_t node_bytes = 128;

#if TOMOGRAPH_HAS_CLUSTERS

/// Follows the ring: each load returns the address of the next one.
__device__ __forceinline__ std::uint32_t follow(std::uint32_t address, std::uint32_t loads) {
#pragma unroll 1
  for (std::uint32_t i = 0; i < loads; i += 16) {
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      asm volatile("ld.shared::cluster.u32 %0, [%0];" : "+r"(address)::"memory");
    }
  }
  return address;
}

/// Cycles of `loads` loads: the difference of two lengths, which contains neither the entry into the loop nor the clock
/// reads.
__device__ std::uint32_t time_loads(std::uint32_t address, std::uint32_t loads) {
  address = follow(address, ring_nodes);
  const std::uint64_t begin = cuda::sm_cycles();
  address = follow(address, 16);
  const std::uint64_t middle = cuda::sm_cycles();
  address = follow(address, 16 + loads);
  const std::uint64_t end = cuda::sm_cycles();
  const auto net = static_cast<std::uint32_t>((end - middle) - (middle - begin));
  return address == 0 ? 0 : net;
}

#endif

__global__ void pairs(std::uint32_t loads, std::uint32_t* cycles, std::uint32_t* sms) {
#if TOMOGRAPH_HAS_CLUSTERS
  extern __shared__ std::uint32_t ring[];
  const std::uint32_t rank = cuda::cluster_rank();
  const std::uint32_t size = cuda::cluster_size();
  const std::uint32_t cluster = cuda::cluster_number();
  if (threadIdx.x < ring_nodes) {
    const std::uint32_t next = (threadIdx.x + 1) % ring_nodes * node_bytes;
    ring[threadIdx.x * node_bytes / 4] = cuda::address_in(rank, cuda::shared_address(ring) + next);
  }
  if (threadIdx.x == 0) sms[blockIdx.x] = cuda::sm_id();
    // Readers take turns, so that no two CTAs of a cluster load at the same time.
#pragma unroll 1
  for (std::uint32_t turn = 0; turn < size * size; ++turn) {
    cuda::cluster_barrier();
    const std::uint32_t target = turn % size;
    if (turn / size != rank || threadIdx.x != 0) continue;
    cycles[cluster * size * size + turn] = time_loads(cuda::address_in(target, cuda::shared_address(ring)), loads);
  }
  cuda::cluster_barrier();
#endif
}

}  // namespace

cudaError_t chase_pairs(const Shape& shape, std::uint32_t loads, std::uint32_t* cycles, std::uint32_t* sms) {
  return cuda::prepare_and_launch(pairs, grid_of(shape, 32), loads, cycles, sms);
}

}  // namespace tomograph::dsmem
