#ifndef TOMOGRAPH_TLB_ACQUIRE_MATRIX_HPP
#define TOMOGRAPH_TLB_ACQUIRE_MATRIX_HPP

#include <optional>

#include "analysis_matrix.hpp"
#include "tomograph/tlb/walk.hpp"

namespace tomograph::tlb {

/// Bytes of a page over which `memory` should spread lines: as it does or, where TLBs do not hold a few pages of that
/// size, the smaller ones that they hold.
[[nodiscard]] std::int64_t spread_within_pages(const Memory& memory);

/// Walks at strides from a 32nd of the pages over which `memory` spreads lines, but two lines at least, up, as long as
/// a handful of pages fit into the memory. Where the largest walk at a stride looks like the smallest one, those in
/// between are left out.
[[nodiscard]] Matrix measure_matrix(const Memory& memory);

/// A walk over pages all over the memory, as many as can be timed, that times each of them. Walks of the matrix time
/// only the pages that they visited first, which some policies keep, however many follow. Nothing if the device refuses
/// it: recordings may not have it.
[[nodiscard]] std::optional<Cell> wholly_timed(const Memory& memory);

}  // namespace tomograph::tlb

#endif
