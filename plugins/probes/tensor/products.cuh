#ifndef TOMOGRAPH_TENSOR_PRODUCTS_CUH
#define TOMOGRAPH_TENSOR_PRODUCTS_CUH

#include <cuda_runtime_api.h>

#include <cstdint>

#include "forms.hpp"

/// One `mma.sync` of each form. `Product<n>::add` is the instruction of forms[n].
namespace tomograph::tensor {

#if defined(__CUDA_ARCH__)
#define TOMOGRAPH_CAPABILITY (__CUDA_ARCH__ / 10)
#else
#define TOMOGRAPH_CAPABILITY 0
#endif

// CUDA 12.5 renamed the instruction whose metadata is in ascending order, and made the other one slow.
#if CUDART_VERSION >= 12050
#define TOMOGRAPH_SPARSE "mma.sp::ordered_metadata.sync.aligned."
#else
#define TOMOGRAPH_SPARSE "mma.sp.sync.aligned."
#endif

/// The registers of a thread: elements of the factors, those of a sum.
template <typename Element, typename Sum, int a, int b, int sums>
struct Registers {
  Element first[a];
  Element second[b];
  Sum sum[sums];
};

/// Which of four neighbouring elements of a sparse factor are stored: the first two of each four.
constexpr std::uint32_t metadata = 0x44444444;

template <int form>
struct Product;

#define TOMOGRAPH_PRODUCT_A2_B1(form, Sum, letter, instruction)                             \
  template <>                                                                               \
  struct Product<form> : Registers<std::uint32_t, Sum, 2, 1, 4> {                           \
    static constexpr bool exists = has_instruction(forms[form], TOMOGRAPH_CAPABILITY);      \
    __device__ __forceinline__ void add(Sum (&s)[4]) const {                                \
      asm volatile(instruction " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"              \
                   : "+" letter(s[0]), "+" letter(s[1]), "+" letter(s[2]), "+" letter(s[3]) \
                   : "r"(first[0]), "r"(first[1]), "r"(second[0]));                         \
    }                                                                                       \
  };
#define TOMOGRAPH_PRODUCT_A4_B2(form, Sum, letter, instruction)                                                   \
  template <>                                                                                                     \
  struct Product<form> : Registers<std::uint32_t, Sum, 4, 2, 4> {                                                 \
    static constexpr bool exists = has_instruction(forms[form], TOMOGRAPH_CAPABILITY);                            \
    __device__ __forceinline__ void add(Sum (&s)[4]) const {                                                      \
      asm volatile(instruction " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                           \
                   : "+" letter(s[0]), "+" letter(s[1]), "+" letter(s[2]), "+" letter(s[3])                       \
                   : "r"(first[0]), "r"(first[1]), "r"(first[2]), "r"(first[3]), "r"(second[0]), "r"(second[1])); \
    }                                                                                                             \
  };
#define TOMOGRAPH_SPARSE_A2_B2(form, Sum, letter, shape)                                              \
  template <>                                                                                         \
  struct Product<form> : Registers<std::uint32_t, Sum, 2, 2, 4> {                                     \
    static constexpr bool exists = has_instruction(forms[form], TOMOGRAPH_CAPABILITY);                \
    __device__ __forceinline__ void add(Sum (&s)[4]) const {                                          \
      asm volatile(TOMOGRAPH_SPARSE shape " {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%0,%1,%2,%3}, %8, 0x0;" \
                   : "+" letter(s[0]), "+" letter(s[1]), "+" letter(s[2]), "+" letter(s[3])           \
                   : "r"(first[0]), "r"(first[1]), "r"(second[0]), "r"(second[1]), "r"(metadata));    \
    }                                                                                                 \
  };
#define TOMOGRAPH_SPARSE_A4_B4(form, Sum, letter, shape)                                                             \
  template <>                                                                                                        \
  struct Product<form> : Registers<std::uint32_t, Sum, 4, 4, 4> {                                                    \
    static constexpr bool exists = has_instruction(forms[form], TOMOGRAPH_CAPABILITY);                               \
    __device__ __forceinline__ void add(Sum (&s)[4]) const {                                                         \
      asm volatile(TOMOGRAPH_SPARSE shape " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x0;" \
                   : "+" letter(s[0]), "+" letter(s[1]), "+" letter(s[2]), "+" letter(s[3])                          \
                   : "r"(first[0]), "r"(first[1]), "r"(first[2]), "r"(first[3]), "r"(second[0]), "r"(second[1]),     \
                     "r"(second[2]), "r"(second[3]), "r"(metadata));                                                 \
    }                                                                                                                \
  };

#define TOMOGRAPH_MMA "mma.sync.aligned."

TOMOGRAPH_PRODUCT_A2_B1(0, float, "f", TOMOGRAPH_MMA "m16n8k8.row.col.f32.f16.f16.f32")
TOMOGRAPH_PRODUCT_A4_B2(1, float, "f", TOMOGRAPH_MMA "m16n8k16.row.col.f32.f16.f16.f32")
TOMOGRAPH_SPARSE_A2_B2(2, float, "f", "m16n8k16.row.col.f32.f16.f16.f32")
TOMOGRAPH_SPARSE_A4_B4(3, float, "f", "m16n8k32.row.col.f32.f16.f16.f32")
TOMOGRAPH_PRODUCT_A2_B1(4, float, "f", TOMOGRAPH_MMA "m16n8k8.row.col.f32.bf16.bf16.f32")
TOMOGRAPH_PRODUCT_A4_B2(5, float, "f", TOMOGRAPH_MMA "m16n8k16.row.col.f32.bf16.bf16.f32")
TOMOGRAPH_SPARSE_A2_B2(6, float, "f", "m16n8k16.row.col.f32.bf16.bf16.f32")
TOMOGRAPH_SPARSE_A4_B4(7, float, "f", "m16n8k32.row.col.f32.bf16.bf16.f32")
TOMOGRAPH_PRODUCT_A2_B1(8, float, "f", TOMOGRAPH_MMA "m16n8k4.row.col.f32.tf32.tf32.f32")
TOMOGRAPH_PRODUCT_A4_B2(9, float, "f", TOMOGRAPH_MMA "m16n8k8.row.col.f32.tf32.tf32.f32")
TOMOGRAPH_SPARSE_A2_B2(10, float, "f", "m16n8k8.row.col.f32.tf32.tf32.f32")
TOMOGRAPH_SPARSE_A4_B4(11, float, "f", "m16n8k16.row.col.f32.tf32.tf32.f32")
TOMOGRAPH_PRODUCT_A4_B2(12, float, "f", TOMOGRAPH_MMA "m16n8k32.row.col.f32.e4m3.e4m3.f32")
TOMOGRAPH_SPARSE_A4_B4(13, float, "f", "m16n8k64.row.col.f32.e4m3.e4m3.f32")
TOMOGRAPH_PRODUCT_A2_B1(14, std::int32_t, "r", TOMOGRAPH_MMA "m16n8k16.row.col.s32.s8.s8.s32")
TOMOGRAPH_PRODUCT_A4_B2(15, std::int32_t, "r", TOMOGRAPH_MMA "m16n8k32.row.col.s32.s8.s8.s32")
TOMOGRAPH_SPARSE_A4_B4(16, std::int32_t, "r", "m16n8k64.row.col.s32.s8.s8.s32")

template <>
struct Product<17> : Registers<double, double, 1, 1, 2> {
  static constexpr bool exists = has_instruction(forms[17], TOMOGRAPH_CAPABILITY);
  __device__ __forceinline__ void add(double (&s)[2]) const {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(s[0]), "+d"(s[1])
                 : "d"(first[0]), "d"(second[0]));
  }
};

template <>
struct Product<18> : Registers<double, double, 8, 4, 4> {
  static constexpr bool exists = has_instruction(forms[18], TOMOGRAPH_CAPABILITY);
  __device__ __forceinline__ void add(double (&s)[4]) const {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, "
        "{%12,%13,%14,%15}, {%0,%1,%2,%3};"
        : "+d"(s[0]), "+d"(s[1]), "+d"(s[2]), "+d"(s[3])
        : "d"(first[0]), "d"(first[1]), "d"(first[2]), "d"(first[3]), "d"(first[4]), "d"(first[5]), "d"(first[6]),
          "d"(first[7]), "d"(second[0]), "d"(second[1]), "d"(second[2]), "d"(second[3]));
  }
};

}  // namespace tomograph::tensor

#endif
