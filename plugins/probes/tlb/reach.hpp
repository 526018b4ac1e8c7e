#ifndef TOMOGRAPH_TLB_REACH_HPP
#define TOMOGRAPH_TLB_REACH_HPP

#include <cstdint>
#include <optional>
#include <vector>

#include "levels.hpp"
#include "tomograph/tlb/walk.hpp"

/// Entries of one level and the bytes that each of them serves.
namespace tomograph::tlb {

/// Which visits of a walk missed the level: those whose median over the passes does or, where a single visit is a sharp
/// witness, those of which a quarter of the passes does.
[[nodiscard]] std::vector<bool> missing(const ExtraLatency& extra_latency, const Level& level);

/// Whether so many pages can be walked as often as it takes to tell which of them miss the level.
[[nodiscard]] bool can_tell(const Memory& memory, const Level& level, std::int64_t pages);

/// The walk with as many passes as the level's noise demands.
[[nodiscard]] Walk over(const Memory& memory, const Level& level, std::vector<std::int64_t> pages, std::int64_t unit);

/// Whether all these pages stay in the level when they are visited over and over. Where no page stands out, more
/// misses over all visits than among pages that surely fit (`calm`) also count: a policy that is not LRU spreads them.
[[nodiscard]] bool fits(const Memory& memory, const Level& level, const std::vector<std::int64_t>& pages,
                        std::int64_t unit);

/// The most evenly spaced pages that fit the level together, exactly, by bisection from what the matrix brackets.
/// Nothing if the memory does not hold enough pages to overflow it, or they are more than can tell. A level that holds
/// fewer than two pages gives 1.
[[nodiscard]] std::optional<std::int64_t> most_fitting(const Memory& memory, const Level& level, std::int64_t stride,
                                                       std::span<const Cell> matrix);

/// Bytes that one miss of the level brings: how far one miss is from the next in a walk by address that the level
/// cannot hold, at a stride small enough to have hits in between.
struct Fill {
  std::int64_t stride = 0;
  std::vector<double> distance;  ///< from each missing page to the next, bytes
  std::int64_t bytes = 0;        ///< the most frequent one; not more than that if it is the stride itself
  double share = 0;              ///< of all distances
};
/// At the smallest stride of the matrix that meets several misses in as many pages as can be timed. Nothing if there
/// is none.
[[nodiscard]] std::optional<Fill> fill(const Memory& memory, const Level& level, std::span<const Cell> matrix);

/// Whether pages `distance` apart are served by one entry, as far as walks tell. They are if pages that just fit still
/// fit together with their neighbours at that distance (else the neighbours take entries of their own), and if pages of
/// which the last one is too many are still too many with that one moved by the distance (else it went to another set).
/// For some offset of the pages, that is: an entry serves an aligned region. Nothing if memory is too small to tell.
[[nodiscard]] std::optional<bool> one_entry(const Memory& memory, const Level& level, std::int64_t distance,
                                            std::span<const Cell> matrix);

/// Pages of a long walk that were still there when it was walked backwards: exactly the entries of the level under LRU
/// or FIFO, whatever the sets, once all of them overflow.
[[nodiscard]] std::int64_t retained(const Memory& memory, const Level& level, const std::vector<std::int64_t>& pages,
                                    std::int64_t unit);

}  // namespace tomograph::tlb

#endif
