#ifndef TOMOGRAPH_TMA_KERNELS_HPP
#define TOMOGRAPH_TMA_KERNELS_HPP

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "methods.hpp"

/// What crosses to the kernels. Each call returns the error of its launch. Pointers are device addresses.
namespace tomograph::tma {

constexpr std::uint32_t threads = 128;

/// A place in global memory, as bytes and as a tensor of rows of `row_bytes`.
struct Memory {
  std::byte* bytes = nullptr;
  CUtensorMap rows{};  ///< with boxes of a whole tile
};

/// When a CTA worked.
struct CtaTime {
  std::uint64_t cycles;
  std::uint64_t begin_ns;
  std::uint64_t end_ns;
  std::uint32_t sm;
  std::uint32_t padding;
};

struct Copies {
  Method method = Method::bulk;
  Direction direction = Direction::load;
  std::uint32_t tile = 0;    ///< bytes, a multiple of `row_bytes`
  std::uint32_t stages = 1;  ///< tiles under way at once in a CTA
  std::uint32_t ctas = 1;
  std::uint32_t ctas_per_sm = 1;
  std::uint32_t cluster = 1;
  bool multicast = false;  ///< each CTA of a cluster loads its share of a tile for all
  cudaStream_t stream = nullptr;
};

/// `cycles[cta * rounds + i]` becomes the time from the start of a copy to its end, one tile at a time, of threads that
/// wait for that. Each CTA goes round `places` tiles of its own, once untimed. No loads by the TMA.
cudaError_t time_copies(const Copies& copies, const Memory& memory, std::uint32_t places, std::uint32_t rounds,
                        std::uint32_t* cycles);

/// One look at the barrier of a load by the TMA.
struct Look {
  std::uint32_t cycles;  ///< from the start of the copy to the end of the look
  std::uint32_t done;    ///< 1: the copy was done
};
/// Who waits for a load by the TMA looks again only after some time, which blurs when it was done. So each copy is
/// looked at once, `looks[cta * rounds + i]` at another time each, from its start to as late as waits end.
cudaError_t look_at_loads(const Copies& copies, const Memory& memory, std::uint32_t places, std::uint32_t rounds,
                          Look* looks);
/// `clusters` becomes how many clusters of `copies` run at once; 0 where there are none of this size.
cudaError_t resident(const Copies& copies, int* clusters);
/// Each CTA copies `tiles` tiles; tile i of CTA c is tile (`first` + i * ctas + c) % `places` of the memory.
cudaError_t stream_copies(const Copies& copies, const Memory& memory, std::uint32_t tiles, std::uint32_t places,
                          std::uint32_t first, CtaTime* times);

}  // namespace tomograph::tma

#endif
