#include "launch.cuh"

namespace tomograph::dsmem {

namespace {

#if TOMOGRAPH_HAS_CLUSTERS

/// The words through which two CTAs signal each other: `mine` is the one that this CTA reads.
template <Space space>
struct Word;

/// Each word is in the shared memory of the CTA that reads it.
template <>
struct Word<Space::cluster> {
  std::uint32_t mine;
  std::uint32_t theirs;
  __device__ __forceinline__ std::uint32_t read() const {
    std::uint32_t value;
    asm volatile("ld.acquire.cluster.shared::cta.u32 %0, [%1];" : "=r"(value) : "r"(mine) : "memory");
    return value;
  }
  __device__ __forceinline__ void write(std::uint32_t value) const {
    asm volatile("st.release.cluster.shared::cluster.u32 [%0], %1;" ::"r"(theirs), "r"(value) : "memory");
  }
};

template <>
struct Word<Space::global> {
  std::uint32_t* mine;
  std::uint32_t* theirs;
  __device__ __forceinline__ std::uint32_t read() const {
    std::uint32_t value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(mine) : "memory");
    return value;
  }
  __device__ __forceinline__ void write(std::uint32_t value) const {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(theirs), "r"(value) : "memory");
  }
};

/// Hands a number from CTA 0 to CTA 1 and back, `rounds` times. Returns the cycles.
template <Space space>
__device__ std::uint64_t bounce(const Word<space>& word, std::uint32_t rank, std::uint32_t first,
                                std::uint32_t rounds) {
  const std::uint64_t begin = cuda::sm_cycles();
#pragma unroll 1
  for (std::uint32_t round = first; round < first + rounds; ++round) {
    if (rank == 0) word.write(round);
    while (word.read() != round) {
    }
    if (rank == 1) word.write(round);
  }
  return cuda::sm_cycles() - begin;
}

#endif

template <Space space>
__global__ void handing_over(std::uint32_t rounds, std::uint32_t* words, CtaTime* times) {
#if TOMOGRAPH_HAS_CLUSTERS
  extern __shared__ std::uint32_t mailbox[];
  const std::uint32_t rank = cuda::cluster_rank();
  if (threadIdx.x == 0) mailbox[0] = 0;
  cuda::cluster_barrier();
  if (threadIdx.x == 0 && rank < 2) {
    Word<space> word{};
    if constexpr (space == Space::cluster) {
      word = {cuda::shared_address(mailbox), cuda::address_in(1 - rank, cuda::shared_address(mailbox))};
    } else {
      // Each word has its own line.
      std::uint32_t* own = words + cuda::cluster_number() * (mailbox_stride / sizeof(std::uint32_t));
      word = {own + 32 * rank, own + 32 * (1 - rank)};
    }
    bounce<space>(word, rank, 1, 8);
    const std::uint64_t cycles = bounce<space>(word, rank, 9, rounds);
    times[blockIdx.x] = {cycles, 0, 0, cuda::sm_id(), 1};
  }
  cuda::cluster_barrier();
#endif
}

}  // namespace

cudaError_t hand_over(const Shape& shape, Space space, std::uint32_t rounds, std::uint32_t* words, CtaTime* times) {
  const auto kernel = space == Space::cluster ? handing_over<Space::cluster> : handing_over<Space::global>;
  return cuda::prepare_and_launch(kernel, grid_of(shape, 32), rounds, words, times);
}

}  // namespace tomograph::dsmem
