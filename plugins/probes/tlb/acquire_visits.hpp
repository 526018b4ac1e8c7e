#ifndef TOMOGRAPH_TLB_ACQUIRE_VISITS_HPP
#define TOMOGRAPH_TLB_ACQUIRE_VISITS_HPP

#include "acquire_sets.hpp"

namespace tomograph::tlb {

/// Which policy explains visits in random order to pages of full sets: of the first `siblings` groups of `sets`, whose
/// `others` evict them from the levels before.
[[nodiscard]] Policy policy_by_visits(const Memory& memory, const Organisation& known, const SetWays& sets);

/// The siblings of a group, and pages that evict everything from the levels before and hit in this one.
[[nodiscard]] std::vector<std::int64_t> rest_of(const SetWays& sets, std::size_t group);

}  // namespace tomograph::tlb

#endif
