#ifndef TOMOGRAPH_L2_SLICES_ANALYSIS_REMAINDER_HPP
#define TOMOGRAPH_L2_SLICES_ANALYSIS_REMAINDER_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tomograph/analysis/linear_index.hpp"

/// Slices that are no power of two: an odd factor of their number divides a number, of which each bit is a parity, and
/// the remainder tells the slice. So it is on an H100 (80 = 16 x 5) and an H200 (94 = 2 x 47).
namespace tomograph::l2_slices {

/// Bit i is the parity of vector & masks[i], or its opposite where bit i of `inverted` is set.
struct HashedNumber {
  std::vector<std::uint64_t> masks = {};
  std::uint64_t inverted = 0;

  [[nodiscard]] std::uint64_t of(std::uint64_t vector) const;
};

/// The number behind a table: the entry of a vector, which counts the table's places, follows from the parities of
/// vector & class mask, and from the remainder of the number by `factor`, which is odd. Different remainders may have
/// the same entry, and a few entries may be wrong or `no_cluster`. Nothing if there is no such number. The size of
/// `entries` is a power of two.
///
/// Which vectors d leave how many entries as they are, e(v) = e(v ^ d), depends on the bits of the number that d flips:
/// those that add and subtract powers of two whose sum the factor divides. By these shares vectors are found that flip
/// known bits; the masks are dual to them.
[[nodiscard]] std::optional<HashedNumber> number_behind(std::span<const int> entries,
                                                        const analysis::Basis& class_masks, std::int64_t factor);

}  // namespace tomograph::l2_slices

#endif
