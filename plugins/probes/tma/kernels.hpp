#ifndef TOMOGRAPH_TMA_KERNELS_HPP
#define TOMOGRAPH_TMA_KERNELS_HPP

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "methods.hpp"

/// The interface of the kernels. Each launch returns its error and does not wait for the end. Pointers are device
/// addresses.
namespace tomograph::tma {

/// Threads of a CTA in every kernel.
constexpr std::uint32_t threads = 128;

/// Global memory, as bytes and as a tensor of rows of `row_bytes`.
struct Memory {
  std::byte* bytes = nullptr;
  CUtensorMap rows{};  ///< with boxes of a whole tile
};

/// When a CTA ran.
struct CtaTime {
  std::uint64_t cycles;
  std::uint64_t begin_ns;
  std::uint64_t end_ns;
  std::uint32_t sm;
  std::uint32_t padding;
};

/// What a kernel copies, and its grid.
struct Copies {
  Method method = Method::bulk;
  Direction direction = Direction::load;
  std::uint32_t tile = 0;    ///< bytes, a multiple of `row_bytes`
  std::uint32_t stages = 1;  ///< tiles in flight in a CTA
  std::uint32_t ctas = 1;
  std::uint32_t ctas_per_sm = 1;
  std::uint32_t cluster = 1;
  bool multicast = false;  ///< each CTA of a cluster loads its share of a tile for all
  cudaStream_t stream = nullptr;
};

/// Times copies one at a time: loads by threads, or stores by the TMA. `cycles[cta * rounds + i]` becomes the time from
/// the start of a copy to its end. Each CTA copies its `places` tiles in turn, the first time untimed.
cudaError_t time_copies(const Copies& copies, const Memory& memory, std::uint32_t places, std::uint32_t rounds,
                        std::uint32_t* cycles);

/// One poll of the barrier of a load by the TMA.
struct Poll {
  std::uint32_t cycles;  ///< from the start of the load to the end of the poll
  std::uint32_t done;    ///< 1: the load was done
};
/// Polls loads by the TMA, one at a time. A thread that waits for such a load polls its barrier only every 150 cycles
/// on an H200, which blurs the latency. Therefore each load is polled once, `polls[cta * rounds + i]`, and polls are
/// spread evenly from the start of a load to the longest latency.
cudaError_t poll_loads(const Copies& copies, const Memory& memory, std::uint32_t places, std::uint32_t rounds,
                       Poll* polls);

/// Copies `tiles` tiles per CTA. Tile i of CTA c is tile (`first` + i * ctas + c) % `places` of the memory.
cudaError_t stream_copies(const Copies& copies, const Memory& memory, std::uint32_t tiles, std::uint32_t places,
                          std::uint32_t first, CtaTime* times);

/// Loads `tiles` tiles into every CTA of a cluster. Tile i of cluster c is tile (`first` + i * clusters + c) %
/// `places`.
cudaError_t stream_clusters(const Copies& copies, const Memory& memory, std::uint32_t tiles, std::uint32_t places,
                            std::uint32_t first, CtaTime* times);

/// `capability` becomes the compute capability, times 10, for which the kernels were compiled.
cudaError_t built_for(int* capability);

/// `clusters` becomes the number of clusters of `copies` that run at the same time; 0 if there are none of this size.
cudaError_t resident_clusters(const Copies& copies, int* clusters);

}  // namespace tomograph::tma

#endif
