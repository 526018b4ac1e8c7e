#ifndef TOMOGRAPH_TENSOR_RUNS_HPP
#define TOMOGRAPH_TENSOR_RUNS_HPP

#include <cstdint>

/// What all experiments of this plugin have in common.
namespace tomograph::tensor {

/// Laps of the two runs that are subtracted. Their difference is 1024 products of a warp, which take 4,000 cycles or
/// more.
inline constexpr std::int64_t few_laps = 4;
inline constexpr std::int64_t many_laps = 12;
/// Cycles that a branch of the loop adds at most where nothing runs beside it: 13 on an H200.
inline constexpr double branch_cycles = 16;
/// The same where warpgroups wait for each product: 96 on an H200, where a product takes 190.14 cycles with a branch
/// after 128 of them, and 192.38 after 32.
inline constexpr double waiting_branch_cycles = 100;
/// The median over all SMs ignores a trial that was disturbed.
inline constexpr std::int64_t trials = 3;

}  // namespace tomograph::tensor

#endif
