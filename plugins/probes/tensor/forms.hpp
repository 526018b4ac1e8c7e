#ifndef TOMOGRAPH_TENSOR_FORMS_HPP
#define TOMOGRAPH_TENSOR_FORMS_HPP

#include <array>
#include <cstdint>

/// The instructions that are measured. For C++ and for nvcc, which compiles C++17.
namespace tomograph::tensor {

/// Elements of the factors. Sums have 32 bits, those of fp64 64.
enum class Type { fp16, bf16, tf32, fp8, int8, fp64 };

/// An `mma.sync` that multiplies a matrix of m x k by one of k x n. One of four elements of a sparse first factor,
/// or two of four, are not stored.
struct Form {
  Type type = Type::fp16;
  bool sparse = false;
  std::int64_t m = 16;
  std::int64_t n = 8;
  std::int64_t k = 16;

  /// Multiplications and additions, those with elements that are not stored included, as vendors count.
  [[nodiscard]] constexpr std::int64_t operations() const { return 2 * m * n * k; }
};

/// All forms. Their order is part of the experiment's format: append only. Of a type's dense forms, and of its sparse
/// ones, the largest comes last.
inline constexpr std::array<Form, 19> forms{{{Type::fp16, false, 16, 8, 8},
                                             {Type::fp16, false, 16, 8, 16},
                                             {Type::fp16, true, 16, 8, 16},
                                             {Type::fp16, true, 16, 8, 32},
                                             {Type::bf16, false, 16, 8, 8},
                                             {Type::bf16, false, 16, 8, 16},
                                             {Type::bf16, true, 16, 8, 16},
                                             {Type::bf16, true, 16, 8, 32},
                                             {Type::tf32, false, 16, 8, 4},
                                             {Type::tf32, false, 16, 8, 8},
                                             {Type::tf32, true, 16, 8, 8},
                                             {Type::tf32, true, 16, 8, 16},
                                             {Type::fp8, false, 16, 8, 32},
                                             {Type::fp8, true, 16, 8, 64},
                                             {Type::int8, false, 16, 8, 16},
                                             {Type::int8, false, 16, 8, 32},
                                             {Type::int8, true, 16, 8, 64},
                                             {Type::fp64, false, 8, 8, 4},
                                             {Type::fp64, false, 16, 8, 16}}};

/// Whether GPUs of this compute capability, times 10, have the instructions of a form. For 9.0, ptxas turns products of
/// fp8 into others of fp16 and additions.
[[nodiscard]] constexpr bool has_instruction(const Form& form, int capability) {
  if (form.type == Type::fp8) return capability >= 89 && capability / 10 != 9;
  return capability >= (form.type == Type::fp64 && form.m == 16 ? 90 : 80);
}

/// A `wgmma.mma_async` that multiplies a matrix of 64 x k by one of k x n, both in shared memory. Their rows have 32 B.
inline constexpr std::int64_t warpgroup_rows = 64;
inline constexpr std::int64_t warpgroup_row_bytes = 32;
/// In the same order as `forms`, by which the experiment's format names them.
inline constexpr std::array<Form, 15> warpgroup_forms{{{Type::fp16, false, 64, 64, 16},
                                                       {Type::fp16, false, 64, 128, 16},
                                                       {Type::fp16, false, 64, 256, 16},
                                                       {Type::bf16, false, 64, 64, 16},
                                                       {Type::bf16, false, 64, 128, 16},
                                                       {Type::bf16, false, 64, 256, 16},
                                                       {Type::tf32, false, 64, 64, 8},
                                                       {Type::tf32, false, 64, 128, 8},
                                                       {Type::tf32, false, 64, 256, 8},
                                                       {Type::fp8, false, 64, 64, 32},
                                                       {Type::fp8, false, 64, 128, 32},
                                                       {Type::fp8, false, 64, 256, 32},
                                                       {Type::int8, false, 64, 64, 32},
                                                       {Type::int8, false, 64, 128, 32},
                                                       {Type::int8, false, 64, 256, 32}}};
/// Warpgroups of an SM at most: their sums fill the registers.
inline constexpr std::int64_t most_warpgroups = 2;
/// Bytes of the largest two factors.
inline constexpr std::int64_t warpgroup_factor_bytes = (warpgroup_rows + 256) * warpgroup_row_bytes;

/// Warps of an SM, and independent products of each: the occupancies and the ILP that are measured.
inline constexpr std::array<std::int64_t, 6> warp_counts{1, 2, 4, 8, 12, 16};
inline constexpr std::array<std::int64_t, 4> ilps{1, 2, 4, 8};

/// Products of each warp in a lap of the loop: a multiple of each ILP.
inline constexpr std::int64_t products_of_lap = 128;
/// Products of a warpgroup after which a lap branches: without, nvcc needs a minute and a half for the kernels.
inline constexpr std::int64_t warpgroup_products_of_branch = 32;

}  // namespace tomograph::tensor

#endif
