#ifndef TOMOGRAPH_CUDA_CHASE_LOADS_CUH
#define TOMOGRAPH_CUDA_CHASE_LOADS_CUH

#include <cstdint>

#include "cuda/chase/kernels.hpp"

/// The timed loops. The load is their only access to global memory.
namespace tomograph::cuda {

/// The clock read after the load is predicated on a comparison with the loaded value, which is a node's
/// address and hence never 1. So it cannot be issued before the value has arrived.
#define TOMOGRAPH_LOAD_PATH(NAME, INSTRUCTION)                                          \
  struct NAME {                                                                         \
    static __device__ __forceinline__ void follow(std::uint64_t& node) {                \
      asm volatile(INSTRUCTION " %0, [%0];" : "+l"(node)::"memory");                    \
    }                                                                                   \
    static __device__ __forceinline__ std::uint32_t follow_timed(std::uint64_t& node) { \
      std::uint32_t cycles;                                                             \
      asm volatile(                                                                     \
          "{\n\t.reg .pred arrived;\n\t.reg .u32 low, high, begin, end;\n\t"            \
          "mov.u32 end, 0;\n\t"                                                         \
          "mov.u32 begin, %%clock;\n\t" INSTRUCTION                                     \
          " %0, [%0];\n\t"                                                              \
          "mov.b64 {low, high}, %0;\n\tsetp.ne.u32 arrived, low, 1;\n\t"                \
          "@arrived mov.u32 end, %%clock;\n\t"                                          \
          "sub.u32 %1, end, begin;\n\t}"                                                \
          : "+l"(node), "=r"(cycles)::"memory");                                        \
      return cycles;                                                                    \
    }                                                                                   \
  }

TOMOGRAPH_LOAD_PATH(GlobalCa, "ld.global.ca.u64");
TOMOGRAPH_LOAD_PATH(GlobalCg, "ld.global.cg.u64");
TOMOGRAPH_LOAD_PATH(GlobalNc, "ld.global.nc.u64");
#undef TOMOGRAPH_LOAD_PATH

__device__ __forceinline__ std::uint64_t clock_now() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}

/// The clock once `node` has arrived.
__device__ __forceinline__ std::uint64_t clock_after(std::uint64_t node) {
  std::uint64_t now;
  asm volatile(
      "{\n\t.reg .pred arrived;\n\t.reg .u32 low, high;\n\t"
      "mov.b64 {low, high}, %1;\n\tsetp.ne.u32 arrived, low, 1;\n\tmov.u64 %0, 0;\n\t"
      "@arrived mov.u64 %0, %%clock64;\n\t}"
      : "=&l"(now)
      : "l"(node)
      : "memory");
  return now;
}

/// Returns only once `node` has arrived.
__device__ __forceinline__ void await(std::uint64_t node) {
  asm volatile("{\n\t.reg .pred broken;\n\tsetp.eq.u64 broken, %0, 1;\n\t@broken trap;\n\t}" ::"l"(node) : "memory");
}

/// Loads in a row without a branch: it costs tens of cycles, which the load before it does not hide.
inline constexpr std::uint32_t unrolled = 32;

template <typename Load>
__device__ __forceinline__ void follow(std::uint64_t& node, std::uint64_t loads) {
#pragma unroll 1
  for (std::uint64_t blocks = loads / unrolled; blocks != 0; --blocks) {
#pragma unroll
    for (std::uint32_t i = 0; i < unrolled; ++i) Load::follow(node);
  }
#pragma unroll 1
  for (auto rest = static_cast<std::uint32_t>(loads % unrolled); rest != 0; --rest) Load::follow(node);
}

/// One slot per load: the cycles in the low word, bits 3 to 34 of the loaded address in the high one.
template <typename Load>
__device__ __forceinline__ void follow_each(std::uint64_t& node, std::uint64_t loads, std::uint64_t* slots) {
#pragma unroll 1
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(loads); ++i) {
    const std::uint32_t cycles = Load::follow_timed(node);
    slots[i] = (node >> 3 << 32) | cycles;
  }
}

}  // namespace tomograph::cuda

#endif
