#include "copies.cuh"
#include "launch.cuh"

namespace tomograph::tma {

namespace {

/// Every CTA of a cluster loads every tile: the whole tile, or with multicast its share of the tile for all CTAs.
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
  // Each iteration loads as many tiles as there are stages, and the cluster waits for all of them: no CTA may write to
  // another one that still waits for the tiles before.
#pragma unroll 1
  for (std::uint32_t done = 0, parity = 0; done < tiles; done += stages, parity ^= 1) {
    if (threadIdx.x == 0) {
      for (std::uint32_t i = 0; i < stages; ++i) start_next();
    }
    for (std::uint32_t i = 0; i < stages; ++i) ByteBarrier(barriers + i).wait(parity);
    cuda::cluster_barrier();
  }
  if (threadIdx.x == 0) {
    times[blockIdx.x] = {cuda::sm_cycles() - begin, begin_ns, cuda::device_nanoseconds(), cuda::sm_id(), 0};
  }
#endif
}

}  // namespace

cudaError_t built_for(int* capability) { return cuda::built_for(sharing<true>, capability); }

cudaError_t resident_clusters(const Copies& copies, int* clusters) {
  const auto kernel = copies.multicast ? sharing<true> : sharing<false>;
  cuda::Grid grid;
  cudaError_t error = find_grid(copies, grid);
  if (error == cudaSuccess) error = cuda::prepare(kernel, grid.dynamic_shared);
  return error != cudaSuccess ? error : cuda::resident_clusters(kernel, grid, clusters);
}

cudaError_t stream_clusters(const Copies& copies, const Memory& memory, std::uint32_t tiles, std::uint32_t places,
                            std::uint32_t first, CtaTime* times) {
  const auto kernel = copies.multicast ? sharing<true> : sharing<false>;
  return start(kernel, copies, memory, copies.tile, copies.stages, tiles, places, first, times);
}

}  // namespace tomograph::tma
