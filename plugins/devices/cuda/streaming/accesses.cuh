#ifndef TOMOGRAPH_CUDA_STREAMING_ACCESSES_CUH
#define TOMOGRAPH_CUDA_STREAMING_ACCESSES_CUH

#include <cstddef>
#include <cstdint>

#include "cuda/streaming/kernels.hpp"
#include "tomograph/abi/streaming.h"

/// Loads and stores of one element with explicit cache operators; volatile, so that the compiler neither drops nor
/// merges them.
namespace tomograph::cuda {

/// A value that depends on all three: a fused multiply-add on their bits. It reads three registers, is issued at full
/// rate, and is not associative, so that the compiler cannot reorder a chain of it.
__device__ __forceinline__ std::uint32_t combined(std::uint32_t with, std::uint32_t a, std::uint32_t b) {
  return __float_as_uint(__fmaf_rn(__uint_as_float(with), __uint_as_float(a), __uint_as_float(b)));
}

/// Registers that hold one element. `fill` makes them differ; `folded` returns a value that depends on all of them.
template <int bytes>
struct Element;

#define TOMOGRAPH_ELEMENT(BYTES, REGISTER, TYPE, CONSTRAINT)                                          \
  template <>                                                                                         \
  struct Element<BYTES> {                                                                             \
    REGISTER value;                                                                                   \
    __device__ __forceinline__ void load_ca(const std::byte* from) {                                  \
      asm volatile("ld.global.ca." TYPE " %0, [%1];" : "=" CONSTRAINT(value) : "l"(from) : "memory"); \
    }                                                                                                 \
    __device__ __forceinline__ void load_cg(const std::byte* from) {                                  \
      asm volatile("ld.global.cg." TYPE " %0, [%1];" : "=" CONSTRAINT(value) : "l"(from) : "memory"); \
    }                                                                                                 \
    __device__ __forceinline__ void store(std::byte* to) const {                                      \
      asm volatile("st.global.wb." TYPE " [%0], %1;" ::"l"(to), CONSTRAINT(value) : "memory");        \
    }                                                                                                 \
    __device__ __forceinline__ void fill(std::uint32_t with) { value = static_cast<REGISTER>(with); } \
    __device__ __forceinline__ std::uint32_t folded(std::uint32_t with) const {                       \
      return combined(with, static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value));    \
    }                                                                                                 \
  }

TOMOGRAPH_ELEMENT(1, std::uint32_t, "u8", "r");
TOMOGRAPH_ELEMENT(2, std::uint16_t, "u16", "h");
TOMOGRAPH_ELEMENT(4, std::uint32_t, "u32", "r");
#undef TOMOGRAPH_ELEMENT

template <>
struct Element<8> {
  std::uint32_t a, b;
  __device__ __forceinline__ void load_ca(const std::byte* from) {
    asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(from) : "memory");
  }
  __device__ __forceinline__ void load_cg(const std::byte* from) {
    asm volatile("ld.global.cg.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(from) : "memory");
  }
  __device__ __forceinline__ void store(std::byte* to) const {
    asm volatile("st.global.wb.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(a), "r"(b) : "memory");
  }
  __device__ __forceinline__ void fill(std::uint32_t with) {
    a = with;
    b = ~with;
  }
  __device__ __forceinline__ std::uint32_t folded(std::uint32_t with) const { return combined(with, a, b); }
};

template <>
struct Element<16> {
  std::uint32_t a, b, c, d;
  __device__ __forceinline__ void load_ca(const std::byte* from) {
    asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(from)
                 : "memory");
  }
  __device__ __forceinline__ void load_cg(const std::byte* from) {
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(from)
                 : "memory");
  }
  __device__ __forceinline__ void store(std::byte* to) const {
    asm volatile("st.global.wb.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
  }
  __device__ __forceinline__ void fill(std::uint32_t with) {
    a = with;
    b = ~with;
    c = with * 5;
    d = with * 7;
  }
  __device__ __forceinline__ std::uint32_t folded(std::uint32_t with) const {
    return combined(combined(with, a, b), c, d);
  }
};

namespace {

/// The constants of this module. Their values do not matter.
__constant__ uint4 constants[streamed_constants / sizeof(uint4)];

__device__ __forceinline__ std::uint64_t constant_address(std::uint64_t offset) {
  std::uint64_t first;
  asm("cvta.to.const.u64 %0, %1;" : "=l"(first) : "l"(constants));
  return first + offset;
}

/// Loads through the paths of read-only data. `from` is an address that the instruction takes.
#define TOMOGRAPH_READ_ONLY(NAME, INSTRUCTION)                                                           \
  __device__ __forceinline__ void NAME(Element<4>& to, std::uint64_t from) {                             \
    asm volatile(INSTRUCTION ".u32 %0, [%1];" : "=r"(to.value) : "l"(from) : "memory");                  \
  }                                                                                                      \
  __device__ __forceinline__ void NAME(Element<8>& to, std::uint64_t from) {                             \
    asm volatile(INSTRUCTION ".v2.u32 {%0, %1}, [%2];" : "=r"(to.a), "=r"(to.b) : "l"(from) : "memory"); \
  }                                                                                                      \
  __device__ __forceinline__ void NAME(Element<16>& to, std::uint64_t from) {                            \
    asm volatile(INSTRUCTION ".v4.u32 {%0, %1, %2, %3}, [%4];"                                           \
                 : "=r"(to.a), "=r"(to.b), "=r"(to.c), "=r"(to.d)                                        \
                 : "l"(from)                                                                             \
                 : "memory");                                                                            \
  }

TOMOGRAPH_READ_ONLY(load_nc, "ld.global.nc")
TOMOGRAPH_READ_ONLY(load_constant, "ld.const")
#undef TOMOGRAPH_READ_ONLY

/// The texel as four words, of which those that it lacks are constant.
__device__ __forceinline__ uint4 texel(std::uint64_t texture, std::uint32_t at) {
  uint4 words;
  asm volatile("tex.1d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
               : "l"(texture), "r"(at)
               : "memory");
  return words;
}

__device__ __forceinline__ void set(Element<4>& to, const uint4& words) { to.value = words.x; }
__device__ __forceinline__ void set(Element<8>& to, const uint4& words) {
  to.a = words.x;
  to.b = words.y;
}
__device__ __forceinline__ void set(Element<16>& to, const uint4& words) {
  to.a = words.x;
  to.b = words.y;
  to.c = words.z;
  to.d = words.w;
}

/// Loads the element at byte `at` of the source on a path of abi/streaming.h.
template <int load, int bytes>
__device__ __forceinline__ void load_element(Element<bytes>& to, const StreamTask& task, std::uint64_t at) {
  if constexpr (load == TOMOGRAPH_STREAM_CA) {
    to.load_ca(task.source + at);
  } else if constexpr (load == TOMOGRAPH_STREAM_CG) {
    to.load_cg(task.source + at);
  } else if constexpr (load == TOMOGRAPH_STREAM_NC) {
    load_nc(to, reinterpret_cast<std::uint64_t>(task.source) + at);
  } else if constexpr (load == TOMOGRAPH_STREAM_TEXTURE) {
    set(to, texel(task.texture, static_cast<std::uint32_t>(at / bytes)));
  } else {
    load_constant(to, constant_address(at));
  }
}

}  // namespace

}  // namespace tomograph::cuda

#endif
