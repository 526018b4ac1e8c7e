#include <cuda_runtime.h>

#include <utility>

#include "instructions.cuh"
#include "kernels.hpp"
#include "tomograph/cuda/launch.hpp"
#include "tomograph/cuda/meeting.cuh"
#include "tomograph/cuda/ptx.cuh"

namespace tomograph::atomics {

namespace {

constexpr std::uint32_t lanes = warp_lanes;
constexpr std::uint32_t most_threads = most_warps * warp_lanes;
/// No combination of small numbers.
constexpr std::uint32_t unlikely = 0x9e3779b9;
constexpr auto operation_count = static_cast<int>(operations.size());

/// Laps of the warm-up, of the shorter and of the longer run.
__device__ __forceinline__ std::uint32_t laps_of(std::uint32_t phase, std::uint32_t laps) {
  return phase == 0 ? 1 : phase == 1 ? laps : static_cast<std::uint32_t>(longer) * laps;
}

/// Shared memory of this CTA, or memory.
template <Space space>
__device__ __forceinline__ Address<space> base_of(std::byte* memory) {
  extern __shared__ __align__(128) std::byte own[];
  if constexpr (space == Space::shared) {
    return cuda::shared_address(own);
  } else {
    return reinterpret_cast<std::uint64_t>(memory);
  }
}

/// Sets `bytes` of shared memory to zero, and waits for it.
__device__ __forceinline__ void clear_shared(std::uint32_t bytes) {
  extern __shared__ __align__(128) std::byte own[];
  for (std::uint32_t i = 4 * threadIdx.x; i < bytes; i += 4 * blockDim.x) {
    *reinterpret_cast<std::uint32_t*>(own + i) = 0;
  }
  __syncthreads();
}

template <Space space, int n>
__global__ void __launch_bounds__(1) chain(std::uint32_t laps, std::byte* memory, Times* times) {
  using One = Atomic<space, n>;
  if constexpr (One::exists) {
    if constexpr (space == Space::shared) clear_shared(chain_bytes);
    const Address<space> base = base_of<space>(memory + std::size_t{blockIdx.x} * line_bytes);
    const std::uint32_t step =
        line_bytes * (space == Space::global ? chains_for(gridDim.x) * turns_apart(blockIdx.x) : 1);
    // Memory holds zeros, which all results therefore are; ptxas cannot know.
    typename One::Value value{};
    Times own{};
#pragma unroll 1
    for (std::uint32_t phase = 0; phase < 3; ++phase) {
      const std::uint64_t begin = cuda::sm_cycles();
#pragma unroll 1
      for (std::uint32_t lap = laps_of(phase, laps); lap > 0; --lap) {
#pragma unroll
        for (std::uint32_t i = 0; i < chain_of_lap; ++i) value = One::fetch(base + i * step, value);
      }
      if (value != typename One::Value{}) asm volatile("trap;");
      own.few = own.many;
      own.many = cuda::sm_cycles() - begin;
    }
    times[blockIdx.x] = own;
  }
}

/// Executes `laps` laps and waits for their end. A result is used when the atomic that takes its place starts. Returns
/// a combination of all results.
template <Space space, int n, bool returns>
__device__ __forceinline__ auto work(std::uint32_t laps, Address<space> first, std::uint32_t place_bytes) {
  using One = Atomic<space, n>;
  const typename One::Value operand = One::operand(threadIdx.x % 2 != 0);
  typename One::Value old[One::awaited] = {};
  typename One::Bits seen = 0;
#pragma unroll 1
  for (; laps > 0; --laps) {
#pragma unroll
    for (std::uint32_t i = 0; i < atomics_of_lap; ++i) {
      const Address<space> at = first + i % One::words * place_bytes;
      if constexpr (returns) {
        One::use(seen, old[i % One::awaited]);
        old[i % One::awaited] = One::fetch(at, operand);
      } else {
        One::reduce(at, operand);
      }
    }
  }
#pragma unroll
  for (const auto one : old) One::use(seen, one);
  if constexpr (space == Space::global) __threadfence();
  __syncthreads();
  return seen;
}

template <Space space, int n, bool returns>
__global__ void __launch_bounds__(most_threads)
    streaming(std::uint32_t laps, Words words, std::int32_t cta, std::uint32_t* started, Times* times) {
  using One = Atomic<space, n>;
  if constexpr (One::exists) {
    if (cta >= 0 && blockIdx.x != static_cast<std::uint32_t>(cta)) return;
    __shared__ bool in_time;
    if constexpr (space == Space::shared) clear_shared(blockDim.x / lanes * words.warp_bytes);
    const std::uint32_t warp = threadIdx.x / lanes;
    const std::uint32_t word = threadIdx.x % lanes / words.lanes_per_word;
    const std::size_t page = (blockIdx.x + warp * words.pages_of_warp) % words.pages;
    const Address<space> first =
        base_of<space>(words.memory + page * words.page_bytes) + warp * words.warp_bytes + word * words.word_bytes;
    Times own{};
    typename One::Bits seen = 0;
#pragma unroll 1
    for (std::uint32_t phase = 0; phase < 3; ++phase) {
      if (threadIdx.x == 0)
        in_time = started == nullptr || cuda::meet(started, (phase + 1) * gridDim.x, cuda::placement_cycles);
      __syncthreads();
      if (!in_time) break;
      const std::uint64_t begin = cuda::sm_cycles();
      seen ^= work<space, n, returns>(laps_of(phase, laps), first, words.place_bytes);
      own.few = own.many;
      own.many = cuda::sm_cycles() - begin;
    }
    if (!in_time) own = {not_together, not_together};
    // Hardly ever true, but ptxas cannot know, and so keeps all results.
    if (threadIdx.x == 0 || seen == unlikely) times[blockIdx.x] = own;
  }
}

using Chain = void (*)(std::uint32_t, std::byte*, Times*);
using Streaming = void (*)(std::uint32_t, Words, std::int32_t, std::uint32_t*, Times*);

template <Space space, int... n>
Chain chain_of(std::size_t wanted, std::integer_sequence<int, n...>) {
  constexpr Chain kernels[] = {chain<space, n>...};
  return kernels[wanted];
}

/// A reduction, or null where there is none.
template <Space space, int n>
constexpr Streaming reduction() {
  if constexpr (operations[n].has_reduction) {
    return streaming<space, n, false>;
  } else {
    return nullptr;
  }
}

template <Space space, int... n>
Streaming streaming_of(std::size_t wanted, bool returns, std::integer_sequence<int, n...>) {
  constexpr Streaming with_results[] = {streaming<space, n, true>...};
  constexpr Streaming without[] = {reduction<space, n>()...};
  return returns ? with_results[wanted] : without[wanted];
}

}  // namespace

cudaError_t chase(const Run& run, std::byte* memory, Times* times) {
  constexpr std::make_integer_sequence<int, operation_count> all{};
  const Chain kernel = run.space == Space::global ? chain_of<Space::global>(run.operation, all)
                                                  : chain_of<Space::shared>(run.operation, all);
  const cuda::Grid grid{run.ctas, 1, run.dynamic_shared, 1, run.stream};
  return cuda::prepare_and_launch(kernel, grid, run.laps, memory, times);
}

cudaError_t stream(const Run& run, bool returns, const Words& words, const Workers& workers, Times* times) {
  constexpr std::make_integer_sequence<int, operation_count> all{};
  const Streaming kernel = run.space == Space::global ? streaming_of<Space::global>(run.operation, returns, all)
                                                      : streaming_of<Space::shared>(run.operation, returns, all);
  if (kernel == nullptr) return cudaErrorInvalidValue;
  const cuda::Grid grid{run.ctas, lanes * workers.warps, run.dynamic_shared, 1, run.stream};
  return cuda::prepare_and_launch(kernel, grid, run.laps, words, workers.cta, workers.started, times);
}

}  // namespace tomograph::atomics
