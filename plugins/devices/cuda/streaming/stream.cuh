#ifndef TOMOGRAPH_CUDA_STREAMING_STREAM_CUH
#define TOMOGRAPH_CUDA_STREAMING_STREAM_CUH

#include "cuda/streaming/accesses.cuh"
#include "cuda/streaming/kernels.hpp"
#include "tomograph/abi/streaming.h"
#include "tomograph/cuda/meeting.cuh"
#include "tomograph/cuda/ptx.cuh"

/// The streaming kernel, for the modules that instantiate it.
namespace tomograph::cuda {

namespace {

constexpr std::uint32_t warp_threads = 32;
/// Timeouts, in cycles, after which CTAs no longer wait for each other, because a CTA that cannot be placed would block
/// the others for ever: 0.5 ms at 2 GHz for all CTAs to be placed, 10 s for the slowest of them to have warmed up.
constexpr std::uint64_t placement_timeout = 1'000'000;
constexpr std::uint64_t warm_up_timeout = 20'000'000'000;

/// A bijective hash: the finalizer of MurmurHash3 (Appleby 2011).
__device__ std::uint32_t hash(std::uint32_t value) {
  value = (value ^ value >> 16) * 0x85ebca6bU;
  value = (value ^ value >> 13) * 0xc2b2ae35U;
  return value ^ value >> 16;
}

/// The place of a CTA in its program.
struct Place {
  bool works;
  std::uint32_t rank;  ///< of its SM
  std::uint32_t slot;  ///< of the CTA on it
};

/// Claims a slot on this SM. The grid fills all SMs, so that each SM gets enough CTAs. Surplus CTAs exit only after all
/// CTAs have been placed, because another CTA would take their room.
__device__ Place claim(const StreamTask& task) {
  const std::uint32_t sm = sm_id();
  const std::int32_t rank = sm < task.sm_limit ? __ldcg(task.ranks + sm) : -1;
  const std::uint32_t slot = rank < 0 ? task.ctas_per_sm : atomicAdd(task.claimed + sm, 1U);
  const bool placed = meet(&task.rendezvous->started, gridDim.x, placement_cycles);
  return {placed && slot < task.ctas_per_sm, static_cast<std::uint32_t>(rank), slot};
}

/// Threads of a warp that load different elements.
template <int load>
inline constexpr std::uint32_t tile_lanes = load == TOMOGRAPH_STREAM_CONSTANT ? 1 : warp_threads;

/// Moves one tile with one warp. Loaded values are used in order, then in reverse order. All of them are therefore live
/// after the last load, and the compiler cannot save registers by waiting for one load before it issues the next.
template <int operation, int load, int element, int ilp>
__device__ __forceinline__ void move(const StreamTask& task, std::uint64_t at, const Element<element>& pattern,
                                     std::uint32_t& value) {
  constexpr int step = static_cast<int>(tile_lanes<load>) * element;
  if constexpr (operation == TOMOGRAPH_STREAM_WRITE) {
#pragma unroll
    for (int i = 0; i < ilp; ++i) pattern.store(task.source + at + i * step);
  } else {
    Element<element> elements[ilp];
#pragma unroll
    for (int i = 0; i < ilp; ++i) load_element<load>(elements[i], task, at + i * step);
    if constexpr (operation == TOMOGRAPH_STREAM_COPY) {
#pragma unroll
      for (int i = 0; i < ilp; ++i) elements[i].store(task.target + at + i * step);
    } else {
#pragma unroll
      for (int i = 0; i < ilp; ++i) value = elements[i].folded(value);
#pragma unroll
      for (int i = ilp - 1; i >= 0; --i) value = elements[i].folded(value);
    }
  }
}

/// The tiles of one warp: one every `stride` bytes from `first` to `end`.
struct Share {
  std::uint64_t first;
  std::uint64_t stride;
  std::uint64_t end;
};

template <int load, int element, int ilp>
__device__ __forceinline__ Share share_of(const StreamTask& task, const Place& place) {
  constexpr std::uint64_t tile = tile_lanes<load> * element * ilp;
  if constexpr (load == TOMOGRAPH_STREAM_CONSTANT) return {0, tile, task.slice};
  const bool sliced = task.distribution == TOMOGRAPH_STREAM_SLICED;
  const std::uint32_t cta = sliced ? place.slot : place.slot * task.sms + place.rank;
  const std::uint32_t ctas = sliced ? task.ctas_per_sm : task.ctas_per_sm * task.sms;
  const std::uint32_t warps = blockDim.x / warp_threads;
  const std::uint64_t begin = sliced ? place.rank * task.slice : 0;
  const std::uint32_t lane = threadIdx.x % warp_threads;
  const std::uint64_t warp = std::uint64_t{cta} * warps + threadIdx.x / warp_threads;
  return {begin + warp * tile + lane * element, std::uint64_t{ctas} * warps * tile, begin + task.slice};
}

/// Makes `passes` passes in which each warp moves its own tiles.
template <int operation, int load, int element, int ilp>
__device__ __forceinline__ void move_share(const StreamTask& task, const Share& share, std::uint32_t passes,
                                           const Element<element>& pattern, std::uint32_t& value) {
#pragma unroll 1
  for (std::uint32_t i = 0; i < passes; ++i) {
#pragma unroll 1
    for (std::uint64_t at = share.first; at < share.end; at += share.stride) {
      move<operation, load, element, ilp>(task, at, pattern, value);
    }
  }
}

/// Makes `passes` passes in which CTAs take pieces, one tile for each of their warps, in the order of the footprint. A
/// CTA requests the next piece before it moves the current one and reads the answer afterwards, so that it never waits.
template <int operation, int load, int element, int ilp>
__device__ __forceinline__ void move_queued(const StreamTask& task, unsigned long long* taken, std::uint32_t passes,
                                            const Element<element>& pattern, std::uint32_t& value) {
  constexpr std::uint64_t none = ~std::uint64_t{0};
  constexpr std::uint64_t tile = warp_threads * element * ilp;
  __shared__ std::uint64_t offsets[2];
  const std::uint64_t piece = blockDim.x / warp_threads * tile;
  const std::uint64_t pieces = task.slice / piece;
  const std::uint64_t mine = threadIdx.x / warp_threads * tile + threadIdx.x % warp_threads * element;
  const auto offset = [&](std::uint64_t ticket) { return ticket < pieces * passes ? ticket % pieces * piece : none; };
  if (threadIdx.x == 0) offsets[0] = offset(atomicAdd(taken, 1ULL));
  __syncthreads();
#pragma unroll 1
  for (std::uint32_t slot = 0; offsets[slot] != none; slot ^= 1) {
    std::uint64_t ticket = 0;
    if (threadIdx.x == 0) ticket = atomicAdd(taken, 1ULL);
    const std::uint64_t at = offsets[slot] + mine;
    move<operation, load, element, ilp>(task, at, pattern, value);
    if (threadIdx.x == 0) offsets[slot ^ 1] = offset(ticket);
    __syncthreads();
  }
}

template <int operation, int load, int element, int ilp>
__device__ __forceinline__ void pass(const StreamTask& task, const Share& share, bool timed,
                                     const Element<element>& pattern, std::uint32_t& value) {
  const std::uint32_t passes = timed ? task.passes : task.warm_passes;
  if (task.distribution == TOMOGRAPH_STREAM_QUEUED) {
    move_queued<operation, load, element, ilp>(task, task.rendezvous->taken + (timed ? 1 : 0), passes, pattern, value);
  } else {
    move_share<operation, load, element, ilp>(task, share, passes, pattern, value);
  }
  // Reads have arrived, writes are visible to all SMs.
  if (operation == TOMOGRAPH_STREAM_READ && value == task.unlikely_sum) *task.sink = value;
  if (operation != TOMOGRAPH_STREAM_READ) __threadfence();
  __syncthreads();
}

__device__ void maximum(std::uint64_t* word, std::uint64_t value) {
  atomicMax(reinterpret_cast<unsigned long long*>(word), static_cast<unsigned long long>(value));
}

__device__ void record(StreamTimes* times, std::uint64_t begin_ns, std::uint64_t begin_clock, std::uint64_t end_ns,
                       std::uint64_t end_clock) {
  maximum(&times->begin_ns_complement, ~begin_ns);
  maximum(&times->begin_clock_complement, ~begin_clock);
  maximum(&times->end_ns, end_ns);
  maximum(&times->end_clock, end_clock);
  atomicAdd(reinterpret_cast<unsigned long long*>(&times->finished), 1ULL);
}

template <int operation, int load, int element, int ilp>
__global__ void __launch_bounds__(1024) stream(StreamTask task) {
  __shared__ Place place;
  __shared__ bool all_warm;
  if (threadIdx.x == 0) place = claim(task);
  __syncthreads();
  if (!place.works) return;
  const Share share = share_of<load, element, ilp>(task, place);
  std::uint32_t value = hash(static_cast<std::uint32_t>(share.first));
  Element<element> pattern;
  pattern.fill(value);
  std::uint64_t begin_ns = 0;
  std::uint64_t begin_clock = 0;
  // A loop, so that the warm-up fetches the instructions that are timed afterwards.
#pragma unroll 1
  for (std::uint32_t timed = 0; timed < 2; ++timed) {
    if (timed != 0) {
      if (threadIdx.x == 0) all_warm = meet(&task.rendezvous->warm, task.sms * task.ctas_per_sm, warm_up_timeout);
      __syncthreads();
      if (!all_warm) return;
      begin_ns = device_nanoseconds();
      begin_clock = sm_cycles();
    }
    pass<operation, load, element, ilp>(task, share, timed != 0, pattern, value);
  }
  const std::uint64_t end_clock = sm_cycles();
  const std::uint64_t end_ns = device_nanoseconds();
  if (threadIdx.x == 0) record(task.times + place.rank, begin_ns, begin_clock, end_ns, end_clock);
}

template <int operation, int load, int element>
StreamKernel of_ilp(std::int64_t ilp) {
  switch (ilp) {
    case 1: return stream<operation, load, element, 1>;
    case 2: return stream<operation, load, element, 2>;
    case 4: return stream<operation, load, element, 4>;
    case 8: return stream<operation, load, element, 8>;
    default: return nullptr;
  }
}

}  // namespace

}  // namespace tomograph::cuda

#endif
