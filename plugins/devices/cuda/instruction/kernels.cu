#include <cmath>

#include "cuda/instruction/kernels.hpp"
#include "cuda/occupancy/span.cuh"
#include "tomograph/abi/instruction.h"

namespace tomograph::cuda {

namespace {

/// Parameters of a kernel besides the occupancy. Operands are parameters so that the compiler computes nothing ahead.
struct Operands {
  std::uint32_t passes;
  float factor;
  float summand;
  std::uint32_t keep;  ///< 0: results are not written; the compiler cannot know
  double* results;
};

/// Words that hold their own addresses, one for each chain of constant loads. fill_constants writes them.
__constant__ std::uint32_t self_addressed[4];

__global__ void address_of_constants(std::uint32_t* address) {
  *address = static_cast<std::uint32_t>(__cvta_generic_to_constant(self_addressed));
}

// Each type is one link of a chain of dependent instructions: x is the value of the chain, y and z are other operands.
// Multiply-adds read y twice: with three different registers the register banks of an H200 halve the rate, to 64
// instead of 128 fp32_fma per cycle and SM.

#define TOMOGRAPH_LINK(NAME, VALUE, CONSTRAINT, INSTRUCTION)                      \
  struct NAME {                                                                   \
    using Value = VALUE;                                                          \
    static __device__ __forceinline__ void link(Value& x, Value y, Value /*z*/) { \
      asm volatile(INSTRUCTION : "+" CONSTRAINT(x) : CONSTRAINT(y));              \
    }                                                                             \
  }

TOMOGRAPH_LINK(Fp32Add, float, "f", "add.rn.f32 %0, %0, %1;");
TOMOGRAPH_LINK(Fp32Fma, float, "f", "fma.rn.f32 %0, %0, %1, %1;");
TOMOGRAPH_LINK(Int32Mad, std::int32_t, "r", "mad.lo.s32 %0, %0, %1, %1;");
TOMOGRAPH_LINK(Fp64Fma, double, "d", "fma.rn.f64 %0, %0, %1, %1;");
TOMOGRAPH_LINK(Fp16x2Fma, std::uint32_t, "r", "fma.rn.f16x2 %0, %0, %1, %1;");
#undef TOMOGRAPH_LINK

/// Two additions, which are one instruction of the hardware. Of single additions ptxas merges two into one, or turns
/// every other one into a multiply-add by one, which other units execute.
struct Int32Add {
  using Value = std::int32_t;
  static __device__ __forceinline__ void link(std::int32_t& x, std::int32_t y, std::int32_t z) {
    asm volatile("add.s32 %0, %0, %1;\n\tadd.s32 %0, %0, %2;" : "+r"(x) : "r"(y), "r"(z));
  }
};

/// Flushes denormals. Without that, a multiplication precedes and follows the instruction.
struct Special {
  using Value = float;
  static __device__ __forceinline__ void link(float& x, float /*y*/, float /*z*/) {
    asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x));
  }
};

struct SpecialSoftware {
  using Value = float;
  static __device__ __forceinline__ void link(float& x, float /*y*/, float /*z*/) { x = cosf(x); }
};

struct ConstantLoad {
  using Value = std::uint32_t;
  static __device__ __forceinline__ void link(std::uint32_t& x, std::uint32_t /*y*/, std::uint32_t /*z*/) {
    asm volatile("ld.const.u32 %0, [%0];" : "+r"(x));
  }
};

/// The first value of a chain: different in each thread.
template <typename Type>
__device__ __forceinline__ typename Type::Value first_value(int chain, std::uint32_t /*keep*/) {
  using Value = typename Type::Value;
  return static_cast<Value>(chain) + static_cast<Value>(threadIdx.x);
}
/// The address of the chain's word, which is the same in each thread; the compiler cannot know.
template <>
__device__ __forceinline__ std::uint32_t first_value<ConstantLoad>(int chain, std::uint32_t keep) {
  return static_cast<std::uint32_t>(__cvta_generic_to_constant(self_addressed + chain)) + (threadIdx.x & keep) * 4;
}

/// Links in the short body. The long body must stay in the nearest instruction cache: on an H200 each instruction takes
/// 1 % longer in a body twice as long. A special function in software is about 37 instructions.
template <typename Type>
constexpr int short_body = 128;
template <>
constexpr int short_body<SpecialSoftware> = 8;

template <typename Type, int ilp, bool long_body>
__global__ void __launch_bounds__(1024, 2) chains(Occupancy occupancy, Operands operands) {
  using Value = typename Type::Value;
  constexpr int length = short_body<Type> * (long_body ? 2 : 1);
  // Different in each thread, or else the operands would come from uniform registers.
  const auto number = static_cast<Value>(threadIdx.x);
  const Value y = static_cast<Value>(operands.factor) + number;
  const Value z = static_cast<Value>(operands.summand) + number;
  Value x[ilp];
#pragma unroll
  for (int chain = 0; chain < ilp; ++chain) x[chain] = first_value<Type>(chain, operands.keep);
  run_together(occupancy, operands.passes, [&](std::uint32_t passes) {
#pragma unroll 1
    for (std::uint32_t pass = 0; pass < passes; ++pass) {
#pragma unroll
      for (int i = 0; i < length; ++i) Type::link(x[i % ilp], y, z);
    }
  });
  if (operands.keep == 0) return;
#pragma unroll
  for (int chain = 0; chain < ilp; ++chain) {
    operands.results[(blockIdx.x * blockDim.x + threadIdx.x) * ilp + static_cast<unsigned>(chain)] =
        static_cast<double>(x[chain]);
  }
}

using Kernel = void (*)(Occupancy, Operands);

struct Choice {
  Kernel kernel;
  int length;
};

template <typename Type, int ilp>
Choice of_body(bool long_body) {
  if (long_body) return {chains<Type, ilp, true>, 2 * short_body<Type>};
  return {chains<Type, ilp, false>, short_body<Type>};
}

template <typename Type>
Choice of_ilp(int ilp, bool long_body) {
  switch (ilp) {
    case 1: return of_body<Type, 1>(long_body);
    case 2: return of_body<Type, 2>(long_body);
    default: return of_body<Type, 4>(long_body);
  }
}

Choice choose(const InstructionKernel& kernel) {
  switch (kernel.type) {
    case TOMOGRAPH_FP32_ADD: return of_ilp<Fp32Add>(kernel.ilp, kernel.long_body);
    case TOMOGRAPH_FP32_FMA: return of_ilp<Fp32Fma>(kernel.ilp, kernel.long_body);
    case TOMOGRAPH_INT32_ADD: return of_ilp<Int32Add>(kernel.ilp, kernel.long_body);
    case TOMOGRAPH_INT32_MAD: return of_ilp<Int32Mad>(kernel.ilp, kernel.long_body);
    case TOMOGRAPH_FP64_FMA: return of_ilp<Fp64Fma>(kernel.ilp, kernel.long_body);
    case TOMOGRAPH_FP16X2_FMA: return of_ilp<Fp16x2Fma>(kernel.ilp, kernel.long_body);
    case TOMOGRAPH_SPECIAL: return of_ilp<Special>(kernel.ilp, kernel.long_body);
    case TOMOGRAPH_CONSTANT_LOAD: return of_ilp<ConstantLoad>(kernel.ilp, kernel.long_body);
    default: return of_ilp<SpecialSoftware>(kernel.ilp, kernel.long_body);
  }
}

}  // namespace

cudaError_t fill_constants() {
  std::uint32_t* address = nullptr;
  cudaError_t status = cudaMalloc(&address, sizeof *address);
  if (status != cudaSuccess) return status;
  address_of_constants<<<1, 1>>>(address);
  std::uint32_t words[4] = {};
  status = cudaMemcpy(words, address, sizeof *address, cudaMemcpyDeviceToHost);
  for (std::uint32_t chain = 1; chain < 4; ++chain) words[chain] = words[0] + chain * sizeof *words;
  if (status == cudaSuccess) status = cudaMemcpyToSymbol(self_addressed, words, sizeof words);
  const cudaError_t freed = cudaFree(address);
  return status == cudaSuccess ? freed : status;
}

std::uint32_t body_length(const InstructionKernel& kernel) { return static_cast<std::uint32_t>(choose(kernel).length); }

cudaError_t allow_shared(const InstructionKernel& kernel, std::int64_t bytes, std::int64_t& fixed) {
  return allow_shared(reinterpret_cast<const void*>(choose(kernel).kernel), bytes, fixed);
}

cudaError_t launch(const InstructionKernel& kernel, std::uint32_t passes, const Launch& launch) {
  const Operands operands{passes, 3, 1, 0, nullptr};
  choose(kernel).kernel<<<launch.ctas, launch.threads, launch.dynamic_shared, launch.stream>>>(launch.occupancy,
                                                                                               operands);
  return cudaGetLastError();
}

}  // namespace tomograph::cuda
