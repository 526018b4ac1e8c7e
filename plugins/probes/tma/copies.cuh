#ifndef TOMOGRAPH_TMA_COPIES_CUH
#define TOMOGRAPH_TMA_COPIES_CUH

#include "kernels.hpp"
#include "tomograph/cuda/ptx.cuh"

/// Copies of tiles between global and shared memory, by the TMA and by threads.
namespace tomograph::tma {

namespace {

/// Tiles in shared memory start at multiples of this, as tensor copies require.
constexpr std::uint32_t alignment = 128;
/// Barriers of a CTA, at least as many as the stages of any request.
[[maybe_unused]] constexpr std::uint32_t most_stages = 16;

#if TOMOGRAPH_HAS_CLUSTERS

/// An mbarrier in shared memory, which completes a phase when the expected bytes have arrived.
class ByteBarrier {
 public:
  __device__ explicit ByteBarrier(std::uint64_t* barrier) : at_(cuda::shared_address(barrier)) {}

  __device__ void initialize() const { asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at_) : "memory"); }
  __device__ __forceinline__ void expect(std::uint32_t bytes) const {
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(at_), "r"(bytes)
                 : "memory");
  }
  /// 1 if all bytes of the phase have arrived, else 0. Does not wait.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t test(std::uint32_t parity) const {
    std::uint32_t done = 0;
    asm volatile(
        "{\n\t.reg .pred done;\n\tmbarrier.test_wait.parity.acquire.cta.shared::cta.b64 done, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, done;\n\t}"
        : "=r"(done)
        : "r"(at_), "r"(parity)
        : "memory");
    return done;
  }
  /// Waits until all bytes of the phase have arrived. The SM suspends waiting threads.
  __device__ __forceinline__ void wait(std::uint32_t parity) const {
    std::uint32_t done = 0;
    while (done == 0) {
      asm volatile(
          "{\n\t.reg .pred done;\n\tmbarrier.try_wait.parity.acquire.cta.shared::cta.b64 done, [%1], %2;\n\t"
          "selp.u32 %0, 1, 0, done;\n\t}"
          : "=r"(done)
          : "r"(at_), "r"(parity)
          : "memory");
    }
  }
  [[nodiscard]] __device__ std::uint32_t address() const { return at_; }

 private:
  std::uint32_t at_;
};

/// Makes initialized barriers visible to copies and to other CTAs.
__device__ void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

struct Tile {
  const Memory* memory;
  std::uint64_t place;  ///< number of the tile in global memory
  std::uint32_t bytes;
  std::uint32_t shared;  ///< address in shared memory
};

/// Starts a load by the TMA. `barrier` completes a phase when the tile has arrived.
template <Method method>
__device__ __forceinline__ void start_load(const Tile& tile, const ByteBarrier& barrier) {
  barrier.expect(tile.bytes);
  if constexpr (method == Method::bulk) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
        "bytes [%0], [%1], %2, [%3];" ::"r"(tile.shared),
        "l"(tile.memory->bytes + tile.place * tile.bytes), "r"(tile.bytes), "r"(barrier.address())
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
        "complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(tile.shared),
        "l"(&tile.memory->rows), "r"(0), "r"(static_cast<std::uint32_t>(tile.place * (tile.bytes / row_bytes))),
        "r"(barrier.address())
        : "memory");
  }
}

/// Starts a store by the TMA, as a separate bulk group.
template <Method method>
__device__ __forceinline__ void start_store(const Tile& tile) {
  if constexpr (method == Method::bulk) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(tile.memory->bytes +
                                                                                     tile.place * tile.bytes),
                 "r"(tile.shared), "r"(tile.bytes)
                 : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, "
        "%2}], [%3];" ::"l"(&tile.memory->rows),
        "r"(0), "r"(static_cast<std::uint32_t>(tile.place * (tile.bytes / row_bytes))), "r"(tile.shared)
        : "memory");
  }
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// Waits until at most `pending` bulk groups are not complete. If `done`, a group is complete when its store is done;
/// if not, when its shared memory has been read.
template <int pending, bool done>
__device__ __forceinline__ void wait_for_stores() {
  if constexpr (done) {
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(pending) : "memory");
  } else {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
  }
}

/// Starts to load a tile with asynchronous copies of 16 B by all threads of the CTA.
__device__ __forceinline__ void start_cp_async(const Tile& tile) {
  const std::byte* source = tile.memory->bytes + tile.place * tile.bytes;
  for (std::uint32_t at = threadIdx.x * 16; at < tile.bytes; at += threads * 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(tile.shared + at), "l"(source + at) : "memory");
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
}

struct Vector {
  std::uint32_t x, y, z, w;
};

__device__ __forceinline__ Vector load_global(const std::byte* at) {
  Vector v{};
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(at)
               : "memory");
  return v;
}
__device__ __forceinline__ void store_shared(std::uint32_t at, const Vector& v) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}

/// Loads a tile with loads and stores of 16 B by all threads of the CTA. Each thread has up to eight loads in flight.
__device__ __forceinline__ void copy_with_loads(const Tile& tile) {
  constexpr std::uint32_t step = threads * 16;
  const std::byte* source = tile.memory->bytes + tile.place * tile.bytes;
  std::uint32_t at = threadIdx.x * 16;
#pragma unroll 1
  for (; at + 7 * step < tile.bytes; at += 8 * step) {
    Vector values[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) values[i] = load_global(source + at + i * step);
#pragma unroll
    for (int i = 0; i < 8; ++i) store_shared(tile.shared + at + i * step, values[i]);
  }
  Vector values[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    if (at + i * step < tile.bytes) values[i] = load_global(source + at + i * step);
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    if (at + i * step < tile.bytes) store_shared(tile.shared + at + i * step, values[i]);
  }
}

/// The first aligned address in dynamic shared memory.
__device__ std::uint32_t tiles_begin(const std::byte* dynamic) {
  return (cuda::shared_address(dynamic) + alignment - 1) / alignment * alignment;
}

/// The tiles that a CTA copies in turn, with their places in global memory and their buffers. It needs no division,
/// which would take longer than the copy of a small tile.
class Sequence {
 public:
  __device__ Sequence(const Memory& memory, std::uint32_t tile, std::uint32_t stages, std::uint32_t places,
                      std::uint32_t shared, std::uint32_t first, std::uint32_t step)
      : memory_(&memory), tile_(tile), stages_(stages), places_(places), shared_(shared), place_(first), step_(step) {}

  [[nodiscard]] __device__ __forceinline__ Tile tile() const {
    return {memory_, place_, tile_, shared_ + stage_ * tile_};
  }
  [[nodiscard]] __device__ __forceinline__ std::uint32_t stage() const { return stage_; }
  __device__ __forceinline__ void advance() {
    place_ += step_;
    if (place_ >= places_) place_ -= places_;
    if (++stage_ == stages_) stage_ = 0;
  }

 private:
  const Memory* memory_;
  std::uint32_t tile_;
  std::uint32_t stages_;
  std::uint32_t places_;
  std::uint32_t shared_;
  std::uint32_t place_;
  std::uint32_t step_;
  std::uint32_t stage_ = 0;
};

#endif

}  // namespace

}  // namespace tomograph::tma

#endif
