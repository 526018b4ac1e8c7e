#ifndef TOMOGRAPH_ATOMICS_INSTRUCTIONS_CUH
#define TOMOGRAPH_ATOMICS_INSTRUCTIONS_CUH

#include <cuda_runtime_api.h>

#include <cstdint>

#include "operations.hpp"

/// The instructions of each operation in each space. PTX without semantics and scope means `.relaxed.gpu`, which GPUs
/// below compute capability 7.0 cannot spell out.
namespace tomograph::atomics {

#if defined(__CUDA_ARCH__)
#define TOMOGRAPH_CAPABILITY (__CUDA_ARCH__ / 10)
#else
#define TOMOGRAPH_CAPABILITY 0
#endif

/// How instructions name a word of a space.
template <Space space>
struct AddressIn;
template <>
struct AddressIn<Space::global> {
  using Type = std::uint64_t;
};
template <>
struct AddressIn<Space::shared> {
  using Type = std::uint32_t;
};
template <Space space>
using Address = typename AddressIn<space>::Type;

/// Operation number `n`: `fetch` is its `atom`, `reduce` its `red`. `operand` is what a lane adds or stores: neighbours
/// undo each other's additions, so that memory keeps changing and no sum overflows. `use` needs a result where it
/// stands, and nowhere earlier.
template <Space space, int n>
struct Atomic;

// `s` is the space, `a` the letter of its addresses' registers. `v` is the letter of registers that hold a V, `bits`
// the width of these.
#define TOMOGRAPH_RESULT(s, a, V, v, bits, instruction, operands, ...)                                                \
  using Value = V;                                                                                                    \
  using Bits = std::uint##bits##_t;                                                                                   \
  static __device__ __forceinline__ V fetch(Address<Space::s> at, V value) {                                          \
    V old;                                                                                                            \
    asm volatile("atom." #s "." instruction " %0, [%1], " operands ";" : "=" v(old) : a(at), __VA_ARGS__ : "memory"); \
    return old;                                                                                                       \
  }                                                                                                                   \
  static __device__ __forceinline__ void use(Bits& seen, V old) {                                                     \
    asm volatile("xor.b" #bits " %0, %0, %1;" : "+" TOMOGRAPH_LETTER_##bits(seen) : v(old));                          \
  }
#define TOMOGRAPH_LETTER_32 "r"
#define TOMOGRAPH_LETTER_64 "l"
#define TOMOGRAPH_OPERAND(V, even, odd) \
  static __device__ __forceinline__ V operand(bool is_odd) { return is_odd ? (odd) : (even); }

// What is known at compile time: whether the GPU that is compiled for has the operation, a thread's words, and its
// results that are awaited together.
#define TOMOGRAPH_KNOWN(s, n)                                                          \
  static constexpr bool exists = has_operation(operations[n], TOMOGRAPH_CAPABILITY);   \
  static constexpr auto words = static_cast<std::uint32_t>(words_of_thread(Space::s)); \
  static constexpr auto awaited = static_cast<std::uint32_t>(in_flight(Space::s));
#define TOMOGRAPH_REDUCTION(s, a, n, V, v, bits, instruction, even, odd)                 \
  template <>                                                                            \
  struct Atomic<Space::s, n> {                                                           \
    TOMOGRAPH_KNOWN(s, n)                                                                \
    TOMOGRAPH_RESULT(s, a, V, v, bits, instruction, "%2", v(value))                      \
    TOMOGRAPH_OPERAND(V, even, odd)                                                      \
    static __device__ __forceinline__ void reduce(Address<Space::s> at, V value) {       \
      asm volatile("red." #s "." instruction " [%0], %1;" ::a(at), v(value) : "memory"); \
    }                                                                                    \
  };
#define TOMOGRAPH_EXCHANGE(s, a, n, V, v, bits, instruction)        \
  template <>                                                       \
  struct Atomic<Space::s, n> {                                      \
    TOMOGRAPH_KNOWN(s, n)                                           \
    TOMOGRAPH_RESULT(s, a, V, v, bits, instruction, "%2", v(value)) \
    TOMOGRAPH_OPERAND(V, V{1}, ~V{0})                               \
  };
// Compares with a zero that it is given, and stores zero, which always succeeds.
#define TOMOGRAPH_COMPARE(s, a, n, V, v, bits, instruction)                      \
  template <>                                                                    \
  struct Atomic<Space::s, n> {                                                   \
    TOMOGRAPH_KNOWN(s, n)                                                        \
    TOMOGRAPH_RESULT(s, a, V, v, bits, instruction, "%2, %3", v(value), v(V{0})) \
    TOMOGRAPH_OPERAND(V, V{0}, V{0})                                             \
  };

// The last operands are 1 and -1, twice, in half precision.
#define TOMOGRAPH_ATOMICS(s, a)                                                \
  TOMOGRAPH_REDUCTION(s, a, 0, std::uint32_t, "r", 32, "add.u32", 1U, ~0U)     \
  TOMOGRAPH_REDUCTION(s, a, 1, std::uint64_t, "l", 64, "add.u64", 1ULL, ~0ULL) \
  TOMOGRAPH_REDUCTION(s, a, 2, std::uint32_t, "r", 32, "max.u32", 1U, 2U)      \
  TOMOGRAPH_REDUCTION(s, a, 3, std::uint64_t, "l", 64, "max.u64", 1ULL, 2ULL)  \
  TOMOGRAPH_EXCHANGE(s, a, 4, std::uint32_t, "r", 32, "exch.b32")              \
  TOMOGRAPH_EXCHANGE(s, a, 5, std::uint64_t, "l", 64, "exch.b64")              \
  TOMOGRAPH_COMPARE(s, a, 6, std::uint32_t, "r", 32, "cas.b32")                \
  TOMOGRAPH_COMPARE(s, a, 7, std::uint64_t, "l", 64, "cas.b64")                \
  TOMOGRAPH_REDUCTION(s, a, 8, float, "f", 32, "add.f32", 1.0F, -1.0F)         \
  TOMOGRAPH_REDUCTION(s, a, 9, double, "d", 64, "add.f64", 1.0, -1.0)          \
  TOMOGRAPH_REDUCTION(s, a, 10, std::uint32_t, "r", 32, "add.noftz.f16x2", 0x3c003c00U, 0xbc00bc00U)

TOMOGRAPH_ATOMICS(global, "l")
TOMOGRAPH_ATOMICS(shared, "r")

}  // namespace tomograph::atomics

#endif
