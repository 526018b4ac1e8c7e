#include "copies.cuh"
#include "launch.cuh"

namespace tomograph::tma {

namespace {

#if TOMOGRAPH_HAS_CLUSTERS

/// Copies a tile and waits until the copy is done.
template <Method method>
__device__ __forceinline__ void copy_one(const Tile& tile) {
  if constexpr (method == Method::cp_async) {
    start_cp_async(tile);
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
  } else if constexpr (method == Method::plain) {
    copy_with_loads(tile);
    __syncthreads();
  } else if (threadIdx.x == 0) {
    start_store<method>(tile);
    wait_for_stores<0, true>();
  }
}

/// Takes longer the larger `idle` is, from 0 to 31, in steps of a few cycles. Without it, all polls would lie on a grid
/// of the iterations of the loop that waits for the clock, 33 cycles on an H200. The result must be used.
__device__ __forceinline__ std::uint32_t delay(std::uint32_t chain, std::uint32_t idle) {
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

/// Starts to load a tile and polls its barrier once, at least `wait` cycles later.
template <Method method>
__device__ __forceinline__ Poll poll_once(const Tile& tile, const ByteBarrier& barrier, std::uint32_t parity,
                                          std::uint32_t wait, std::uint32_t idle) {
  const std::uint64_t begin = cuda::sm_cycles();
  start_load<method>(tile, barrier);
  while (cuda::sm_cycles() < begin + wait) {
  }
  const std::uint32_t chain = delay(wait, idle);
  const std::uint32_t done = barrier.test(parity);
  const auto cycles = static_cast<std::uint32_t>(cuda::sm_cycles() - begin);
  // Never true, but ptxas cannot know.
  return {cycles, chain == 0x9e3779b9U ? ~done : done};
}

#endif

/// Times loads by threads, and stores by the TMA.
template <Method method>
__global__ void __launch_bounds__(threads) timing(const __grid_constant__ Memory memory, std::uint32_t bytes,
                                                  std::uint32_t places, std::uint32_t rounds, std::uint32_t* cycles) {
#if TOMOGRAPH_HAS_CLUSTERS
  extern __shared__ std::byte dynamic[];
  Tile tile{&memory, 0, bytes, tiles_begin(dynamic)};
  // The first lap loads the tiles into the L2 and the code into the instruction caches.
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

/// Polls loads by the TMA.
template <Method method>
__global__ void __launch_bounds__(threads) polling(const __grid_constant__ Memory memory, std::uint32_t bytes,
                                                   std::uint32_t places, std::uint32_t rounds, Poll* polls) {
#if TOMOGRAPH_HAS_CLUSTERS
  extern __shared__ std::byte dynamic[];
  __shared__ std::uint64_t storage;
  if (threadIdx.x != 0) return;
  const ByteBarrier barrier(&storage);
  barrier.initialize();
  publish_barriers();
  Tile tile{&memory, 0, bytes, tiles_begin(dynamic)};
  // Delays of `delay` that polls take in turn.
  constexpr std::uint32_t idle_steps = 32;
  std::uint32_t longest = 0;
  // The first lap loads the tiles into the L2 and the code into the instruction caches. The second lap finds the
  // longest latency, within which polls are spread.
#pragma unroll 1
  for (std::uint32_t i = 0; i < 2 * places + rounds; ++i) {
    tile.place = std::uint64_t{blockIdx.x} * places + i % places;
    const bool counts = i >= 2 * places;
    const std::uint32_t number = counts ? i - 2 * places : 0;
    const auto wait = static_cast<std::uint32_t>(std::uint64_t{longest} * number / rounds);
    const std::uint64_t begin = cuda::sm_cycles();
    const Poll poll = poll_once<method>(tile, barrier, i % 2, wait, number % idle_steps);
    barrier.wait(i % 2);
    const auto waited = static_cast<std::uint32_t>(cuda::sm_cycles() - begin);
    if (counts) {
      polls[blockIdx.x * rounds + number] = poll;
    } else if (i >= places && waited > longest) {
      longest = waited;
    }
  }
#endif
}

}  // namespace

cudaError_t time_copies(const Copies& copies, const Memory& memory, std::uint32_t places, std::uint32_t rounds,
                        std::uint32_t* cycles) {
  switch (copies.method) {
    case Method::bulk: return start(timing<Method::bulk>, copies, memory, copies.tile, places, rounds, cycles);
    case Method::tensor: return start(timing<Method::tensor>, copies, memory, copies.tile, places, rounds, cycles);
    case Method::cp_async: return start(timing<Method::cp_async>, copies, memory, copies.tile, places, rounds, cycles);
    default: return start(timing<Method::plain>, copies, memory, copies.tile, places, rounds, cycles);
  }
}

cudaError_t poll_loads(const Copies& copies, const Memory& memory, std::uint32_t places, std::uint32_t rounds,
                       Poll* polls) {
  const auto kernel = copies.method == Method::bulk ? polling<Method::bulk> : polling<Method::tensor>;
  return start(kernel, copies, memory, copies.tile, places, rounds, polls);
}

}  // namespace tomograph::tma
