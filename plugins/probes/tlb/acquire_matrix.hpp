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

/// A walk over pages all over the memory, as many as can be timed, that times each of them. Walks of the matrix time
/// only the pages that they visited first, which some policies keep, however many follow. Nothing if the device refuses
/// it: recordings may not have it.
[[nodiscard]] std::optional<Cell> wholly_timed(const Memory& memory);

}  // namespace tomograph::tlb

#endif
