#ifndef TOMOGRAPH_TLB_ACQUIRE_PAST_L2_HPP
#define TOMOGRAPH_TLB_ACQUIRE_PAST_L2_HPP

#include <optional>

#include "analysis_past_l2.hpp"
#include "tomograph/tlb/walk.hpp"

namespace tomograph::tlb {

/// Two walks over twice as many lines as L2 holds: one over few pages, as many as walks within L2 visit at most, and
/// one over many. Nothing if walks within L2 visit as many pages as any, the memory has hardly more, pages have too few
/// lines, or the device refuses: recordings may not have it.
[[nodiscard]] std::optional<WalksPastL2> walks_past_l2(const Memory& memory);

}  // namespace tomograph::tlb

#endif
