#ifndef TOMOGRAPH_TLB_MATRIX_HPP
#define TOMOGRAPH_TLB_MATRIX_HPP

#include <vector>

#include "levels.hpp"
#include "tomograph/tlb/walk.hpp"

namespace tomograph::tlb {

/// Walks in random order: strides that are powers of two, and doubled numbers of pages.
struct Matrix {
  std::vector<Cell> cells;
  std::vector<double> folded;  ///< control: as many different lines, on `folded_pages` pages
  std::int64_t folded_pages = 0;
  double noise = 1;  ///< standard deviation of the control: of the extra latency of single visits that miss nothing
};

/// Strides from `smallest` up, as far as a handful of pages fit into the memory. A stride at which the largest walk
/// looks like the smallest one is not looked at more closely. What shows in the control, lines by the thousand on so
/// few pages that no TLB can miss, is not the TLBs' doing.
[[nodiscard]] Matrix measure_matrix(const Memory& memory, std::int64_t smallest = std::int64_t{64} << 10);

}  // namespace tomograph::tlb

#endif
