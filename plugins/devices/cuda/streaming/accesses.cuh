#ifndef TOMOGRAPH_CUDA_STREAMING_ACCESSES_CUH
#define TOMOGRAPH_CUDA_STREAMING_ACCESSES_CUH

#include <cstddef>
#include <cstdint>

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

}  // namespace tomograph::cuda

#endif
