#ifndef TOMOGRAPH_TLB_ACQUIRE_STRIDES_HPP
#define TOMOGRAPH_TLB_ACQUIRE_STRIDES_HPP

#include <optional>

#include "acquire_sets.hpp"

namespace tomograph::tlb {

/// Equal sets to which successive entries belong in turn, as in most TLBs. Of pages S entries apart, as many as a set's
/// share of the entries fit, wherever they lie, and one more never does, only if there are S sets. It does not matter
/// which of them a miss replaces. Eight sets are tested, or fewer several times. Nothing if no number of sets passes.
[[nodiscard]] std::optional<SetWays> sets_by_strides(const Memory& memory, const Organisation& known);

}  // namespace tomograph::tlb

#endif
