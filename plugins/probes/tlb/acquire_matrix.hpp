#ifndef TOMOGRAPH_TLB_ACQUIRE_MATRIX_HPP
#define TOMOGRAPH_TLB_ACQUIRE_MATRIX_HPP

#include <optional>

#include "analysis_matrix.hpp"
#include "tomograph/tlb/walk.hpp"

namespace tomograph::tlb {

/// Walks at strides from `smallest` up, as long as a handful of pages fit into the memory. Where the largest walk at a
/// stride looks like the smallest one, those in between are left out. The control walks over thousands of lines on so
/// few pages that no TLB misses: what it shows is not caused by TLBs.
[[nodiscard]] Matrix measure_matrix(const Memory& memory, std::int64_t smallest = std::int64_t{64} << 10);

/// A walk over pages all over the memory, as many as can be timed, of which each is. (Those that walks of the matrix
/// time were visited first, and some policies keep such pages, however many follow.) Nothing if a device refuses it:
/// recordings may not have it.
[[nodiscard]] std::optional<Cell> wholly_timed(const Memory& memory);

}  // namespace tomograph::tlb

#endif
