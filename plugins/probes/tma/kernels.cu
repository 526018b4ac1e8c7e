#include "kernels.hpp"
#include "tomograph/cuda/launch.hpp"
#include "tomograph/cuda/ptx.cuh"

namespace tomograph::tma {

namespace {

/// Tiles start at multiples of this, as tensor copies demand.
constexpr std::uint32_t alignment = 128;
[[maybe_unused]] constexpr std::uint32_t most_stages = 16;

#if TOMOGRAPH_HAS_CLUSTERS

/// A barrier in shared memory that counts bytes.
class ByteBarrier {
 public:
  __device__ explicit ByteBarrier(std::uint64_t* barrier) : at_(cuda::shared_address(barrier)) {}

  __device__ void initialize() const { asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at_) : "memory"); }
  __device__ __forceinline__ void expect(std::uint32_t bytes) const {
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(at_), "r"(bytes)
                 : "memory");
  }
  /// 1 if all bytes have come.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t look(std::uint32_t parity) const {
    std::uint32_t done = 0;
    asm volatile(
        "{\n\t.reg .pred done;\n\tmbarrier.test_wait.parity.acquire.cta.shared::cta.b64 done, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, done;\n\t}"
        : "=r"(done)
        : "r"(at_), "r"(parity)
        : "memory");
    return done;
  }
  /// The SM wakes the threads that wait; they need not look again and again.
  __device__ __forceinline__ void await(std::uint32_t parity) const {
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

/// Initialized barriers become known to copies and to other CTAs.
__device__ void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

struct Tile {
  const Memory* memory;
  std::uint64_t place;  ///< number of the tile in memory
  std::uint32_t bytes;
  std::uint32_t shared;
};

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

/// Waits until at most `pending` stores are under way: read (their shared
/// memory is free) or done.
template <int pending, bool done>
__device__ __forceinline__ void await_stores() {
  if constexpr (done) {
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(pending) : "memory");
  } else {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
  }
}

/// All threads of the CTA copy a tile with copies of 16 B that complete later.
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

/// Up to eight loads under way in each thread.
__device__ __forceinline__ void copy_plainly(const Tile& tile) {
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

/// The first tile-aligned address in dynamic shared memory.
__device__ std::uint32_t tiles_begin(const std::byte* dynamic) {
  return (cuda::shared_address(dynamic) + alignment - 1) / alignment * alignment;
}

/// Copies a tile and waits for it.
template <Method method>
__device__ __forceinline__ void copy_one(const Tile& tile) {
  if constexpr (method == Method::cp_async) {
    start_cp_async(tile);
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
  } else if constexpr (method == Method::plain) {
    copy_plainly(tile);
    __syncthreads();
  } else if (threadIdx.x == 0) {
    start_store<method>(tile);
    await_stores<0, true>();
  }
}

/// Takes longer the larger `idle` is, from 0 to 31, in steps of a few cycles and of tens: a loop that reads the clock
/// alone would put all looks on a grid of its turns, 33 cycles on an H200. What it returns must be used.
__device__ __forceinline__ std::uint32_t pass_time(std::uint32_t chain, std::uint32_t idle) {
#pragma unroll 1
  for (std::uint32_t turn = 0; turn < idle / 8; ++turn) {
#pragma unroll
    for (int i = 0; i < 3; ++i) chain = chain * chain + turn;
  }
  const auto step = [&chain] { asm volatile("mad.lo.u32 %0, %0, %0, 1;" : "+r"(chain)); };
  switch (idle % 8) {
    case 7: step(); [[fallthrough]];
    case 6: step(); [[fallthrough]];
    case 5: step(); [[fallthrough]];
    case 4: step(); [[fallthrough]];
    case 3: step(); [[fallthrough]];
    case 2: step(); [[fallthrough]];
    case 1: step(); break;
    default: break;
  }
  return chain;
}

/// Loads a tile and looks once whether it has come, not before `wait` cycles are over.
template <Method method>
__device__ __forceinline__ Look look_at_one(const Tile& tile, const ByteBarrier& barrier, std::uint32_t parity,
                                            std::uint32_t wait, std::uint32_t idle) {
  const std::uint64_t begin = cuda::sm_cycles();
  start_load<method>(tile, barrier);
  while (cuda::sm_cycles() < begin + wait) {
  }
  const std::uint32_t chain = pass_time(wait, idle);
  const std::uint32_t done = barrier.look(parity);
  const auto cycles = static_cast<std::uint32_t>(cuda::sm_cycles() - begin);
  // Never true, but the assembler must not know.
  return {cycles, chain == 0x9e3779b9U ? ~done : done};
}

#endif

/// Of loads by threads, and of stores by the TMA.
template <Method method>
__global__ void __launch_bounds__(threads) timing(const __grid_constant__ Memory memory, std::uint32_t bytes,
                                                  std::uint32_t places, std::uint32_t rounds, std::uint32_t* cycles) {
#if TOMOGRAPH_HAS_CLUSTERS
  extern __shared__ std::byte dynamic[];
  Tile tile{&memory, 0, bytes, tiles_begin(dynamic)};
  // The first lap brings the tiles into the L2 and the code into the caches.
#pragma unroll 1
  for (std::uint32_t i = 0; i < places + rounds; ++i) {
    tile.place = std::uint64_t{blockIdx.x} * places + i % places;
    __syncthreads();
    const std::uint64_t begin = cuda::sm_cycles();
    copy_one<method>(tile);
    const std::uint64_t end = cuda::sm_cycles();
    if (threadIdx.x == 0 && i >= places)
      cycles[blockIdx.x * rounds + i - places] = static_cast<std::uint32_t>(end - begin);
  }
#endif
}

/// Of loads by the TMA.
template <Method method>
__global__ void __launch_bounds__(threads) looking(const __grid_constant__ Memory memory, std::uint32_t bytes,
                                                   std::uint32_t places, std::uint32_t rounds, Look* looks) {
#if TOMOGRAPH_HAS_CLUSTERS
  extern __shared__ std::byte dynamic[];
  __shared__ std::uint64_t storage;
  if (threadIdx.x != 0) return;
  const ByteBarrier barrier(&storage);
  barrier.initialize();
  publish_barriers();
  Tile tile{&memory, 0, bytes, tiles_begin(dynamic)};
  constexpr std::uint32_t idle_steps = 32;
  std::uint32_t longest = 0;
  // The first lap brings the tiles into the L2 and the code into the caches, the second tells how late looks may be.
#pragma unroll 1
  for (std::uint32_t i = 0; i < 2 * places + rounds; ++i) {
    tile.place = std::uint64_t{blockIdx.x} * places + i % places;
    const bool looks_count = i >= 2 * places;
    const std::uint32_t number = looks_count ? i - 2 * places : 0;
    const auto wait = static_cast<std::uint32_t>(std::uint64_t{longest} * number / rounds);
    const std::uint64_t begin = cuda::sm_cycles();
    const Look seen = look_at_one<method>(tile, barrier, i % 2, wait, number % idle_steps);
    barrier.await(i % 2);
    const auto waited = static_cast<std::uint32_t>(cuda::sm_cycles() - begin);
    if (looks_count) {
      looks[blockIdx.x * rounds + number] = seen;
    } else if (i >= places && waited > longest) {
      longest = waited;
    }
  }
#endif
}

#if TOMOGRAPH_HAS_CLUSTERS

/// The tiles of a CTA, one after the other: where in memory, and in which buffer. Without divisions, which take longer
/// than a small tile.
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

/// Whoever uses a tile waits until it has come, and meets the others before its
/// place is filled anew.
template <Method method>
__device__ __forceinline__ void stream_async_loads(Sequence next, std::uint32_t stages, std::uint32_t tiles,
                                                   std::uint64_t* barriers) {
  const auto start_next = [&] {
    start_load<method>(next.tile(), ByteBarrier(barriers + next.stage()));
    next.advance();
  };
  for (std::uint32_t i = 0; i < stages && i < tiles && threadIdx.x == 0; ++i) start_next();
  std::uint32_t stage = 0;
  std::uint32_t parity = 0;
#pragma unroll 1
  for (std::uint32_t i = 0; i < tiles; ++i) {
    ByteBarrier(barriers + stage).await(parity);
    __syncthreads();
    if (threadIdx.x == 0 && i + stages < tiles) start_next();
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
}

/// At most `stages` stores whose shared memory is not free again. Powers of two, since the count is part of the
/// instruction.
template <Method method>
__device__ __forceinline__ void stream_stores(Sequence next, std::uint32_t stages, std::uint32_t tiles) {
  if (threadIdx.x == 0) {
#pragma unroll 1
    for (std::uint32_t i = 0; i < tiles; ++i) {
      start_store<method>(next.tile());
      next.advance();
      switch (stages) {
        case 1: await_stores<0, false>(); break;
        case 2: await_stores<1, false>(); break;
        case 4: await_stores<3, false>(); break;
        default: await_stores<7, false>(); break;
      }
    }
    await_stores<0, true>();
  }
  __syncthreads();
}

__device__ __forceinline__ void stream_cp_async(Sequence next, std::uint32_t stages, std::uint32_t tiles) {
  const auto start_next = [&] {
    start_cp_async(next.tile());
    next.advance();
  };
  for (std::uint32_t i = 0; i < stages && i < tiles; ++i) start_next();
#pragma unroll 1
  for (std::uint32_t i = 0; i < tiles; ++i) {
    switch (stages) {
      case 1: asm volatile("cp.async.wait_group 0;" ::: "memory"); break;
      case 2: asm volatile("cp.async.wait_group 1;" ::: "memory"); break;
      case 4: asm volatile("cp.async.wait_group 3;" ::: "memory"); break;
      default: asm volatile("cp.async.wait_group 7;" ::: "memory"); break;
    }
    __syncthreads();
    if (i + stages < tiles) {
      start_next();
    } else {
      asm volatile("cp.async.commit_group;" ::: "memory");  // keeps the count of groups
    }
  }
}

__device__ __forceinline__ void stream_plainly(Sequence next, std::uint32_t tiles) {
#pragma unroll 1
  for (std::uint32_t i = 0; i < tiles; ++i) {
    copy_plainly(next.tile());
    next.advance();
    __syncthreads();
  }
}

#endif

template <Method method, Direction direction>
__global__ void __launch_bounds__(threads)
    streaming(const __grid_constant__ Memory memory, std::uint32_t tile, std::uint32_t stages, std::uint32_t tiles,
              std::uint32_t places, std::uint32_t first, CtaTime* times) {
#if TOMOGRAPH_HAS_CLUSTERS
  extern __shared__ std::byte dynamic[];
  __shared__ std::uint64_t barriers[most_stages];
  if (threadIdx.x == 0) {
    for (std::uint32_t i = 0; i < stages; ++i) ByteBarrier(barriers + i).initialize();
    publish_barriers();
  }
  __syncthreads();
  const Sequence sequence(memory, tile, stages, places, tiles_begin(dynamic), (first + blockIdx.x) % places,
                          gridDim.x % places);
  const std::uint64_t begin_ns = cuda::device_nanoseconds();
  const std::uint64_t begin = cuda::sm_cycles();
  if constexpr (direction == Direction::store) {
    stream_stores<method>(sequence, stages, tiles);
  } else if constexpr (method == Method::cp_async) {
    stream_cp_async(sequence, stages, tiles);
  } else if constexpr (method == Method::plain) {
    stream_plainly(sequence, tiles);
  } else {
    stream_async_loads<method>(sequence, stages, tiles, barriers);
  }
  if (threadIdx.x == 0) {
    times[blockIdx.x] = {cuda::sm_cycles() - begin, begin_ns, cuda::device_nanoseconds(), cuda::sm_id(), 0};
  }
#endif
}

/// Every CTA of a cluster gets every tile: loads it whole, or its share of it
/// for all of them.
template <bool multicast>
__global__ void __launch_bounds__(threads)
    sharing(const __grid_constant__ Memory memory, std::uint32_t tile, std::uint32_t stages, std::uint32_t tiles,
            std::uint32_t places, std::uint32_t first, CtaTime* times) {
#if TOMOGRAPH_HAS_CLUSTERS
  extern __shared__ std::byte dynamic[];
  __shared__ std::uint64_t barriers[most_stages];
  const std::uint32_t rank = cuda::cluster_rank();
  const std::uint32_t size = cuda::cluster_size();
  if (threadIdx.x == 0) {
    for (std::uint32_t i = 0; i < stages; ++i) ByteBarrier(barriers + i).initialize();
    publish_barriers();
  }
  const std::uint32_t buffers = tiles_begin(dynamic);
  const std::uint32_t clusters = gridDim.x / size;
  const std::uint32_t share = tile / size;
  Sequence next(memory, tile, stages, places, buffers, (first + cuda::cluster_number()) % places, clusters % places);
  const auto start_next = [&] {
    const Tile whole = next.tile();
    const ByteBarrier barrier(barriers + next.stage());
    next.advance();
    if constexpr (multicast) {
      barrier.expect(tile);
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], "
          "%4;" ::"r"(whole.shared + rank * share),
          "l"(memory.bytes + whole.place * tile + rank * share), "r"(share), "r"(barrier.address()),
          "h"(static_cast<std::uint16_t>((1U << size) - 1))
          : "memory");
    } else {
      start_load<Method::bulk>(whole, barrier);
    }
  };
  cuda::cluster_barrier();
  const std::uint64_t begin_ns = cuda::device_nanoseconds();
  const std::uint64_t begin = cuda::sm_cycles();
  // Rounds of as many tiles as there are stages: nobody writes to a CTA that
  // has not seen the round before.
#pragma unroll 1
  for (std::uint32_t done = 0, parity = 0; done < tiles; done += stages, parity ^= 1) {
    if (threadIdx.x == 0) {
      for (std::uint32_t i = 0; i < stages; ++i) start_next();
    }
    for (std::uint32_t i = 0; i < stages; ++i) ByteBarrier(barriers + i).await(parity);
    cuda::cluster_barrier();
  }
  if (threadIdx.x == 0) {
    times[blockIdx.x] = {cuda::sm_cycles() - begin, begin_ns, cuda::device_nanoseconds(), cuda::sm_id(), 0};
  }
#endif
}

/// With so much shared memory that no more CTAs share an SM than asked for.
cudaError_t find_grid(const Copies& copies, cuda::Grid& grid) {
  int device = 0;
  int per_sm = 0;
  int reserved = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&per_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
  }
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, device);
  }
  if (error != cudaSuccess) return error;
  const std::uint32_t fair =
      static_cast<std::uint32_t>(per_sm) / (copies.ctas_per_sm + 1) - static_cast<std::uint32_t>(reserved);
  const std::uint32_t tiles = copies.stages * copies.tile + alignment;
  grid = {copies.ctas, threads, tiles < fair ? fair + 16 : tiles, copies.cluster, copies.stream};
  return cudaSuccess;
}

template <typename... Parameters, typename... Arguments>
cudaError_t start(void (*kernel)(Parameters...), const Copies& copies, const Arguments&... arguments) {
  cuda::Grid grid;
  cudaError_t error = find_grid(copies, grid);
  if (error == cudaSuccess) error = cuda::prepare(kernel, grid.dynamic_shared);
  return error != cudaSuccess ? error : cuda::launch(kernel, grid, arguments...);
}

}  // namespace

cudaError_t resident(const Copies& copies, int* clusters) {
  const auto kernel = copies.multicast ? sharing<true> : sharing<false>;
  cuda::Grid grid;
  cudaError_t error = find_grid(copies, grid);
  if (error == cudaSuccess) error = cuda::prepare(kernel, grid.dynamic_shared);
  return error != cudaSuccess ? error : cuda::resident_clusters(kernel, grid, clusters);
}

cudaError_t time_copies(const Copies& copies, const Memory& memory, std::uint32_t places, std::uint32_t rounds,
                        std::uint32_t* cycles) {
  switch (copies.method) {
    case Method::bulk: return start(timing<Method::bulk>, copies, memory, copies.tile, places, rounds, cycles);
    case Method::tensor: return start(timing<Method::tensor>, copies, memory, copies.tile, places, rounds, cycles);
    case Method::cp_async: return start(timing<Method::cp_async>, copies, memory, copies.tile, places, rounds, cycles);
    default: return start(timing<Method::plain>, copies, memory, copies.tile, places, rounds, cycles);
  }
}

cudaError_t look_at_loads(const Copies& copies, const Memory& memory, std::uint32_t places, std::uint32_t rounds,
                          Look* looks) {
  const auto kernel = copies.method == Method::bulk ? looking<Method::bulk> : looking<Method::tensor>;
  return start(kernel, copies, memory, copies.tile, places, rounds, looks);
}

cudaError_t stream_copies(const Copies& copies, const Memory& memory, std::uint32_t tiles, std::uint32_t places,
                          std::uint32_t first, CtaTime* times) {
  const bool loads = copies.direction == Direction::load;
  const auto begin = [&](auto kernel) {
    return start(kernel, copies, memory, copies.tile, copies.stages, tiles, places, first, times);
  };
  if (copies.cluster > 1) return begin(copies.multicast ? sharing<true> : sharing<false>);
  switch (copies.method) {
    case Method::bulk:
      return begin(loads ? streaming<Method::bulk, Direction::load> : streaming<Method::bulk, Direction::store>);
    case Method::tensor:
      return begin(loads ? streaming<Method::tensor, Direction::load> : streaming<Method::tensor, Direction::store>);
    case Method::cp_async: return begin(streaming<Method::cp_async, Direction::load>);
    default: return begin(streaming<Method::plain, Direction::load>);
  }
}

}  // namespace tomograph::tma
