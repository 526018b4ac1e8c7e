#include "cuda/chase/kernels.hpp"
#include "cuda/chase/loads.cuh"

namespace tomograph::cuda {

namespace {

/// Two dependent instructions that no compiler contracts: value ^ 0 + 0 with a zero it does not know.
#define TOMOGRAPH_TWO "xor.b32 low, low, %2;\n\tadd.u32 low, low, %2;\n\t"
#define TOMOGRAPH_EIGHT TOMOGRAPH_TWO TOMOGRAPH_TWO TOMOGRAPH_TWO TOMOGRAPH_TWO

/// As `follow_timed`, with CHAIN in place of the load.
#define TOMOGRAPH_TIMED_CHAIN(CHAIN)                                                                      \
  asm volatile(                                                                                           \
      "{\n\t.reg .pred arrived;\n\t.reg .u32 low, begin, end;\n\tmov.u32 low, %1;\n\tmov.u32 end, 0;\n\t" \
      "mov.u32 begin, %%clock;\n\t" CHAIN                                                                 \
      "setp.ne.u32 arrived, low, 0xffffffff;\n\t@arrived mov.u32 end, %%clock;\n\t"                       \
      "sub.u32 %0, end, begin;\n\tmov.u32 %1, low;\n\t}"                                                  \
      : "=r"(cycles), "+r"(value)                                                                         \
      : "r"(zero)                                                                                         \
      : "memory")

template <int length>
__device__ __forceinline__ std::uint32_t timed_chain(std::uint32_t& value, std::uint32_t zero) {
  std::uint32_t cycles;
  if constexpr (length == 8) TOMOGRAPH_TIMED_CHAIN(TOMOGRAPH_EIGHT);
  if constexpr (length == 16) TOMOGRAPH_TIMED_CHAIN(TOMOGRAPH_EIGHT TOMOGRAPH_EIGHT);
  if constexpr (length == 24) TOMOGRAPH_TIMED_CHAIN(TOMOGRAPH_EIGHT TOMOGRAPH_EIGHT TOMOGRAPH_EIGHT);
  if constexpr (length == 32) {
    TOMOGRAPH_TIMED_CHAIN(TOMOGRAPH_EIGHT TOMOGRAPH_EIGHT TOMOGRAPH_EIGHT TOMOGRAPH_EIGHT);
  }
  return cycles;
}

template <int length>
__device__ void time_chains(std::uint32_t zero, std::uint32_t* cycles) {
  std::uint32_t value = zero;
#pragma unroll 1
  for (int i = 0; i < chain_repetitions; ++i) cycles[i] = timed_chain<length>(value, zero);
}

/// As a phase timed in total, `length` loads long, with instructions of known kind in place of the loads.
__device__ void time_totals(std::uint32_t length, std::uint32_t zero, std::uint32_t* cycles) {
  std::uint64_t value = zero;
#pragma unroll 1
  for (int i = 0; i < chain_repetitions; ++i) {
    const std::uint64_t begin = clock_now();
#pragma unroll 1
    for (std::uint32_t eights = length / 8; eights != 0; --eights) {
      auto low = static_cast<std::uint32_t>(value);
      asm volatile("{\n\t.reg .u32 low;\n\tmov.u32 low, %0;\n\t" TOMOGRAPH_EIGHT "mov.u32 %0, low;\n\t}"
                   : "+r"(low)
                   : "r"(zero), "r"(zero));
      value = low;
    }
    const std::uint64_t end = clock_after(value);
    cycles[i] = static_cast<std::uint32_t>(end - begin);
  }
}

static_assert(chain_lengths[0] == 8 && chain_lengths[1] == 16 && chain_lengths[2] == 24 && chain_lengths[3] == 32);

__global__ void time_timing(std::uint32_t zero, std::uint32_t* cycles) {
  time_chains<8>(zero, cycles);
  time_chains<16>(zero, cycles + chain_repetitions);
  time_chains<24>(zero, cycles + 2 * chain_repetitions);
  time_chains<32>(zero, cycles + 3 * chain_repetitions);
  for (int i = 0; i < 4; ++i) {
    time_totals(static_cast<std::uint32_t>(8 * (i + 1)), zero, cycles + (4 + i) * chain_repetitions);
  }
}

}  // namespace

cudaError_t launch_time_timing(std::uint32_t* cycles, cudaStream_t stream) {
  time_timing<<<1, 1, 0, stream>>>(0, cycles);
  return cudaGetLastError();
}

}  // namespace tomograph::cuda
