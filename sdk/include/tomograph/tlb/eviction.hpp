#ifndef TOMOGRAPH_TLB_EVICTION_HPP
#define TOMOGRAPH_TLB_EVICTION_HPP

#include <cstdint>

/// How walks replace the entries of a TLB whose victims are random, the policy that forgets most slowly of those that
/// GPUs are known to have. Pure functions.
namespace tomograph::tlb {

/// Share of visits that miss where `pages` take turns in one set and each miss replaces any of its ways with the same
/// probability. A page stays if none of the misses between two visits takes its way:
/// m = 1 - (1 - 1 / ways)^(m (pages - 1)).
[[nodiscard]] double random_miss_share(std::int64_t ways, std::int64_t pages);

/// Walks over `pages`, which are more than `entries`, until a TLB has replaced what it held before: each of its entries
/// outlives them with probability 1/400.
[[nodiscard]] std::int64_t walks_that_evict(std::int64_t entries, std::int64_t pages);

}  // namespace tomograph::tlb

#endif
