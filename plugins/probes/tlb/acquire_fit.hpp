#ifndef TOMOGRAPH_TLB_ACQUIRE_FIT_HPP
#define TOMOGRAPH_TLB_ACQUIRE_FIT_HPP

#include <cstdint>
#include <vector>

#include "analysis_levels.hpp"
#include "tomograph/tlb/walk.hpp"

/// Walks that tell whether pages fit a level.
namespace tomograph::tlb {

/// Whether the pages of a walk fit the level, and which of them missed.
struct FitTest {
  bool fits = false;
  std::vector<bool> missed;
};

/// Whether so many pages can be walked as often as it takes to tell which of them miss the level.
[[nodiscard]] bool can_tell(const Memory& memory, const Level& level, std::int64_t pages);

/// The walk with as many passes as the level's noise demands.
[[nodiscard]] Walk over(const Memory& memory, const Level& level, std::vector<std::int64_t> pages, std::int64_t unit);

/// Whether all these pages stay in the level when they are visited over and over. No page may miss, and no more visits
/// than noise explains: a policy other than LRU spreads the misses over all pages. `unit` is the bytes in which the
/// lines of pages spread (`spread`).
[[nodiscard]] FitTest test_fit(const Memory& memory, const Level& level, const std::vector<std::int64_t>& pages,
                               std::int64_t unit);
[[nodiscard]] bool fits(const Memory& memory, const Level& level, const std::vector<std::int64_t>& pages,
                        std::int64_t unit);

}  // namespace tomograph::tlb

#endif
