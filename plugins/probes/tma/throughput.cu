#include "copies.cuh"
#include "launch.cuh"

namespace tomograph::tma {

namespace {

#if TOMOGRAPH_HAS_CLUSTERS

/// Loads tiles by the TMA. All threads wait for a tile, and for each other before its buffer is filled again.
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
    ByteBarrier(barriers + stage).wait(parity);
    __syncthreads();
    if (threadIdx.x == 0 && i + stages < tiles) start_next();
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
}

/// Stores tiles by the TMA, with at most `stages` stores whose shared memory has not been read. `stages` is a power of
/// two up to 8, because the count is part of the instruction.
template <Method method>
__device__ __forceinline__ void stream_stores(Sequence next, std::uint32_t stages, std::uint32_t tiles) {
  if (threadIdx.x == 0) {
#pragma unroll 1
    for (std::uint32_t i = 0; i < tiles; ++i) {
      start_store<method>(next.tile());
      next.advance();
      switch (stages) {
        case 1: wait_for_stores<0, false>(); break;
        case 2: wait_for_stores<1, false>(); break;
        case 4: wait_for_stores<3, false>(); break;
        default: wait_for_stores<7, false>(); break;
      }
    }
    wait_for_stores<0, true>();
  }
  __syncthreads();
}

/// Loads tiles with asynchronous copies by threads. `stages` is a power of two up to 8.
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
      asm volatile("cp.async.commit_group;" ::: "memory");  // an empty group keeps the count of groups
    }
  }
}

/// Loads tiles with loads and stores by threads.
__device__ __forceinline__ void stream_with_loads(Sequence next, std::uint32_t tiles) {
#pragma unroll 1
  for (std::uint32_t i = 0; i < tiles; ++i) {
    copy_with_loads(next.tile());
    next.advance();
    __syncthreads();
  }
}

#endif

/// Copies `tiles` tiles per CTA and records when the CTA ran.
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
    stream_with_loads(sequence, tiles);
  } else {
    stream_async_loads<method>(sequence, stages, tiles, barriers);
  }
  if (threadIdx.x == 0) {
    times[blockIdx.x] = {cuda::sm_cycles() - begin, begin_ns, cuda::device_nanoseconds(), cuda::sm_id(), 0};
  }
#endif
}

}  // namespace

cudaError_t stream_copies(const Copies& copies, const Memory& memory, std::uint32_t tiles, std::uint32_t places,
                          std::uint32_t first, CtaTime* times) {
  const bool loads = copies.direction == Direction::load;
  const auto begin = [&](auto kernel) {
    return start(kernel, copies, memory, copies.tile, copies.stages, tiles, places, first, times);
  };
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
