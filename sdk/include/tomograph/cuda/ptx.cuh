#ifndef TOMOGRAPH_CUDA_PTX_CUH
#define TOMOGRAPH_CUDA_PTX_CUH

#include <cstdint>

/// Instructions without a CUDA C++ function. Those for clusters need compute capability 9.0: kernels built for less
/// must not call them (`TOMOGRAPH_HAS_CLUSTERS`).
namespace tomograph::cuda {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define TOMOGRAPH_HAS_CLUSTERS 1
#else
#define TOMOGRAPH_HAS_CLUSTERS 0
#endif

/// Clock of this SM, in cycles. The compiler moves no memory access across it.
__device__ __forceinline__ std::uint64_t sm_cycles() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}

/// Clock of the device, in nanoseconds. Its resolution may be coarse.
__device__ __forceinline__ std::uint64_t device_nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}

/// Number of this SM.
__device__ __forceinline__ std::uint32_t sm_id() {
  std::uint32_t sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

/// Address of an object in shared memory, as ld.shared takes it.
__device__ __forceinline__ std::uint32_t shared_address(const void* object) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(object));
}

#if TOMOGRAPH_HAS_CLUSTERS

/// Number of this CTA in its cluster.
__device__ __forceinline__ std::uint32_t cluster_rank() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// Number of CTAs in this cluster.
__device__ __forceinline__ std::uint32_t cluster_size() {
  std::uint32_t size;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return size;
}

/// Number of this cluster in the grid.
__device__ __forceinline__ std::uint32_t cluster_number() {
  std::uint32_t number;
  asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(number));
  return number;
}

/// The same address in the shared memory of another CTA of the cluster, as ld.shared::cluster takes it.
__device__ __forceinline__ std::uint32_t address_in(std::uint32_t rank, std::uint32_t address) {
  std::uint32_t there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}

/// Barrier of all threads of the cluster. Writes before it are visible to all afterwards.
__device__ __forceinline__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

#endif

}  // namespace tomograph::cuda

#endif
