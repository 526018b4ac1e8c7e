#ifndef TOMOGRAPH_TLB_ACQUIRE_WHOLE_HPP
#define TOMOGRAPH_TLB_ACQUIRE_WHOLE_HPP

#include <optional>

#include "acquire_sets.hpp"

namespace tomograph::tlb {

/// Whether a miss brings a whole entry: after one page of each entry was visited for the first time, and evicted from
/// the levels before, the other half of the entry hits. Nothing if only some halves do, if memory is too small, or if
/// mostly a level before served these visits.
[[nodiscard]] std::optional<bool> brings_whole_entry(const Memory& memory, const Organisation& known);

}  // namespace tomograph::tlb

#endif
