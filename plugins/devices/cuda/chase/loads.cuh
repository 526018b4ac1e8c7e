#ifndef TOMOGRAPH_CUDA_CHASE_LOADS_CUH
#define TOMOGRAPH_CUDA_CHASE_LOADS_CUH

#include <cstdint>

#include "cuda/chase/gaps.cuh"
#include "cuda/chase/kernels.hpp"
#include "tomograph/cuda/ptx.cuh"

/// The timed loops. The load that is timed is their only access to cached memory.
namespace tomograph::cuda {

/// Returns only once `node` has arrived.
__device__ __forceinline__ void wait_for(std::uint64_t node) {
  asm volatile(
      "{\n\t.reg .pred broken;\n\tsetp.eq.u64 broken, %0, 0xffffffffffffffff;\n\t@broken trap;\n\t}" ::"l"(node)
      : "memory");
}

#define TOMOGRAPH_BEFORE                                                                         \
  "{\n\t.reg .pred arrived;\n\t.reg .u32 low, high, y, z, w, begin, end;\n\t.reg .b64 node;\n\t" \
  "mov.b64 node, %0;\n\tmov.b64 {low, high}, %0;\n\t"

/// Defines a load path:
///   follow               replaces a node by what it holds, the next node
///   follow_timed         does the same and returns the cycles that it took
///   mark                 the bits of a node by which the host recognizes it
///   prefetch_descriptor  loads what the first load of a phase needs besides its node
/// LOAD goes from the node in `node`, or in `low` and `high`, to the next one; SPLIT puts its low word into `low` and
/// JOIN puts all of it into %0. The clock read after the load is predicated on a comparison of the loaded low word with
/// all ones, which no node has. This true dependency keeps the clock read behind the arrival of the value.
#define TOMOGRAPH_PATH(NAME, LOAD, SPLIT, JOIN, MARK, PREFETCH)                                                      \
  struct NAME {                                                                                                      \
    static __device__ __forceinline__ void follow(std::uint64_t& node, std::uint64_t texture) {                      \
      asm volatile(TOMOGRAPH_BEFORE LOAD JOIN "\n\t}" : "+l"(node) : "r"(0), "l"(texture) : "memory");               \
    }                                                                                                                \
    static __device__ __forceinline__ std::uint32_t follow_timed(std::uint64_t& node, std::uint64_t texture) {       \
      std::uint32_t cycles;                                                                                          \
      asm volatile(TOMOGRAPH_BEFORE "mov.u32 end, 0;\n\tmov.u32 begin, %%clock;\n\t" LOAD SPLIT                      \
                                    "setp.ne.u32 arrived, low, 0xffffffff;\n\t@arrived mov.u32 end, %%clock;\n\t"    \
                                    "sub.u32 %1, end, begin;\n\t" JOIN "\n\t}"                                       \
                   : "+l"(node), "=r"(cycles)                                                                        \
                   : "l"(texture)                                                                                    \
                   : "memory");                                                                                      \
      return cycles;                                                                                                 \
    }                                                                                                                \
    static __device__ __forceinline__ std::uint32_t mark(std::uint64_t node) { return MARK; }                        \
    static __device__ __forceinline__ void prefetch_descriptor([[maybe_unused]] std::uint64_t texture) { PREFETCH; } \
  }

/// Nodes are addresses.
#define TOMOGRAPH_GLOBAL_PATH(NAME, INSTRUCTION)                                                                \
  TOMOGRAPH_PATH(NAME, INSTRUCTION " node, [node];\n\t", "mov.b64 {low, high}, node;\n\t", "mov.b64 %0, node;", \
                 static_cast<std::uint32_t>(node >> 3), static_cast<void>(0))

TOMOGRAPH_GLOBAL_PATH(GlobalCa, "ld.global.ca.u64");
TOMOGRAPH_GLOBAL_PATH(GlobalCg, "ld.global.cg.u64");
TOMOGRAPH_GLOBAL_PATH(GlobalNc, "ld.global.nc.u64");

/// Nodes are addresses of less than 32 bits. Their low halves are loaded.
#define TOMOGRAPH_NARROW_PATH(NAME, INSTRUCTION)                                   \
  TOMOGRAPH_PATH(NAME, INSTRUCTION " low, [low];\n\t", "", "cvt.u64.u32 %0, low;", \
                 static_cast<std::uint32_t>(node) >> 3, static_cast<void>(0))

TOMOGRAPH_NARROW_PATH(Constant, "ld.const.u32");
TOMOGRAPH_NARROW_PATH(Shared, "ld.shared.u32");

/// Loads the descriptor of a texture. Fetching a texel out of range does not access memory.
#define TOMOGRAPH_PREFETCH                         \
  std::uint64_t out_of_range = 0x7fffffff7fffffff; \
  follow(out_of_range, texture);                   \
  wait_for(out_of_range)

/// Nodes are texel coordinates, x in the low word.
TOMOGRAPH_PATH(Texture, "tex.1d.v4.u32.s32 {low, y, z, w}, [%2, {low}];\n\t", "", "cvt.u64.u32 %0, low;",
               static_cast<std::uint32_t>(node), TOMOGRAPH_PREFETCH);
TOMOGRAPH_PATH(Texture2d, "tex.2d.v4.u32.s32 {low, high, z, w}, [%2, {low, high}];\n\t", "", "mov.b64 %0, {low, high};",
               static_cast<std::uint32_t>(node) + (static_cast<std::uint32_t>(node >> 32) << 16), TOMOGRAPH_PREFETCH);

#undef TOMOGRAPH_PREFETCH
#undef TOMOGRAPH_NARROW_PATH
#undef TOMOGRAPH_GLOBAL_PATH
#undef TOMOGRAPH_PATH
#undef TOMOGRAPH_BEFORE

/// Clock of this SM, read once `node` has arrived.
__device__ __forceinline__ std::uint64_t clock_after(std::uint64_t node) {
  std::uint64_t now;
  asm volatile(
      "{\n\t.reg .pred arrived;\n\t.reg .u32 low, high;\n\t"
      "mov.b64 {low, high}, %1;\n\tsetp.ne.u32 arrived, low, 0xffffffff;\n\tmov.u64 %0, 0;\n\t"
      "@arrived mov.u64 %0, %%clock64;\n\t}"
      : "=&l"(now)
      : "l"(node)
      : "memory");
  return now;
}

/// Loads between two branches. A branch costs about 30 cycles on an H200, which no load hides: it adds a quarter of a
/// cycle to each load of a long block and a cycle to each of a short one.
inline constexpr std::uint32_t long_block = 128;
inline constexpr std::uint32_t short_block = 32;

/// Whether a path has long blocks. Constants share a cache with instructions, so that their loop takes little of it.
template <typename Load>
inline constexpr bool has_long_blocks = true;
template <>
inline constexpr bool has_long_blocks<Constant> = false;

/// Follows blocks of `size` loads as long as they are whole, with a reading of the clock in each short block. Returns
/// the loads left.
template <typename Load, std::uint32_t size>
__device__ __forceinline__ std::uint64_t follow_blocks(std::uint64_t& node, std::uint64_t texture, std::uint64_t loads,
                                                       GapTimer& watch) {
#pragma unroll 1
  for (std::uint64_t blocks = loads / size; blocks != 0; --blocks) {
#pragma unroll
    for (std::uint32_t i = 0; i < size; ++i) {
      Load::follow(node, texture);
      if (i % short_block == 0) watch.read();
    }
  }
  return loads % size;
}

template <typename Load>
__device__ __forceinline__ void follow(std::uint64_t& node, std::uint64_t texture, std::uint64_t loads,
                                       GapTimer& watch) {
  if constexpr (has_long_blocks<Load>) loads = follow_blocks<Load, long_block>(node, texture, loads, watch);
  loads = follow_blocks<Load, short_block>(node, texture, loads, watch);
#pragma unroll 1
  for (auto rest = static_cast<std::uint32_t>(loads); rest != 0; --rest) Load::follow(node, texture);
}

/// Times each of `loads` loads. Slot i gets the cycles of load i in its low word and the mark of the node that it
/// loaded, less that of `origin`, in its high word.
template <typename Load>
__device__ __forceinline__ void follow_each(std::uint64_t& node, std::uint64_t texture, std::uint64_t loads,
                                            std::uint64_t origin, std::uint64_t* slots, GapTimer& watch) {
#pragma unroll 1
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(loads); ++i) {
    const std::uint32_t cycles = Load::follow_timed(node, texture);
    slots[i] = static_cast<std::uint64_t>(Load::mark(node) - Load::mark(origin)) << 32 | cycles;
    watch.read();
  }
}

}  // namespace tomograph::cuda

#endif
