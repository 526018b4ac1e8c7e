#ifndef TOMOGRAPH_TLB_ACQUIRE_MATRIX_HPP
#define TOMOGRAPH_TLB_ACQUIRE_MATRIX_HPP

#include <optional>

#include "analysis_matrix.hpp"
#include "tomograph/tlb/walk.hpp"

namespace tomograph::tlb {

/// Walks over thousands of lines on so few pages that no TLB misses: what they show is not caused by TLBs. The pages
/// are those over which `memory` spreads lines or, where TLBs miss some of these, the smaller ones of which they do
/// not.
[[nodiscard]] Control measure_control(const Memory& memory);

/// Walks at strides from 64 KiB up, or from the pages over which `memory` spreads lines if these are smaller, as long
/// as a handful of pages fit into the memory. Where the largest walk at a stride looks like the smallest one, those in
/// between are left out.
[[nodiscard]] Matrix measure_matrix(const Memory& memory, const Control& control);

/// A walk over pages all over the memory, as many as can be timed, that times each of them. Walks of the matrix time
/// only the pages that they visited first, which some policies keep, however many follow. Nothing if the device refuses
/// it: recordings may not have it.
[[nodiscard]] std::optional<Cell> wholly_timed(const Memory& memory);

}  // namespace tomograph::tlb

#endif
