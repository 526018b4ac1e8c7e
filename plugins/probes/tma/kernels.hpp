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

/// A thread that waits for a copy looks again only after some time. Copies are looked at first after 0, 1, ... times
/// this many cycles, `looks` different ones; the shortest time is that of the copy.
constexpr std::uint32_t look_step = 8;
constexpr std::uint32_t looks = 32;

/// `cycles[cta * rounds + i]` becomes the time from the start of a copy to its end, one tile at a time. Each CTA goes
/// round `places` tiles of its own, once untimed.
cudaError_t time_copies(const Copies& copies, const Memory& memory, std::uint32_t places, std::uint32_t rounds,
                        std::uint32_t* cycles);
/// Each CTA copies `tiles` tiles; tile i of CTA c is tile (`first` + i * ctas + c) % `places` of the memory.
cudaError_t stream_copies(const Copies& copies, const Memory& memory, std::uint32_t tiles, std::uint32_t places,
                          std::uint32_t first, CtaTime* times);

}  // namespace tomograph::tma

#endif
