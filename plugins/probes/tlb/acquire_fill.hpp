#ifndef TOMOGRAPH_TLB_ACQUIRE_FILL_HPP
#define TOMOGRAPH_TLB_ACQUIRE_FILL_HPP

#include <cstdint>
#include <optional>
#include <span>

#include "analysis_levels.hpp"
#include "analysis_misses.hpp"
#include "tomograph/tlb/walk.hpp"

/// Measures what one miss of a level brings.
namespace tomograph::tlb {

/// What is known of the levels before one.
struct Before {
  std::int64_t evicting_pages = 0;  ///< pages that evict everything from them; 0: there is none
  /// Bytes that a miss of one of them brings at most; nothing if that is unknown of one.
  std::optional<std::int64_t> brought = 0;
  const Level* uncounted = nullptr;  ///< the last of them, if its entries are unknown
};

/// Bytes that one miss of the level brings, at the smallest stride of the matrix with several misses in as many pages
/// as can be timed. Nothing if there is none.
[[nodiscard]] std::optional<Fill> fill(const Memory& memory, const Level& level, std::span<const Cell> matrix);

/// Whether a walk in the other direction misses at half the distance or less. Then a miss also brings the entry of the
/// next page, and how far misses lie apart says nothing about entries. False if a recording does not know such a walk.
[[nodiscard]] bool misses_bring_next(const Memory& memory, const Level& level, std::span<const Cell> matrix,
                                     const Fill& fill);

/// Whether the level is the page-table window. One window is active at a time, so the level has a single entry: pages
/// taken in turn from two regions that lie as far apart as misses do evict each other at most visits that the levels
/// before do not serve, and in the matrix no pages fit that lie in several such regions.
[[nodiscard]] bool is_window(const Memory& memory, const Level& level, std::span<const Cell> matrix, const Fill& fill,
                             const Before& before);

}  // namespace tomograph::tlb

#endif
