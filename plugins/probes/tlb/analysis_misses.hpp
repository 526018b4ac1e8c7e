#ifndef TOMOGRAPH_TLB_ANALYSIS_MISSES_HPP
#define TOMOGRAPH_TLB_ANALYSIS_MISSES_HPP

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis_levels.hpp"
#include "tomograph/tlb/walk.hpp"

/// Which visits of a walk missed a level, and what their distances say. Pure functions.
namespace tomograph::tlb {

/// By visit, whether it missed the level: its median over the passes did or, where a single visit tells a hit from a
/// miss, more than a quarter of its passes did.
[[nodiscard]] std::vector<bool> missing(const ExtraLatency& extra_latency, const Level& level);

/// Upper bound of the probability that a single visit that hits exceeds the threshold.
[[nodiscard]] double false_miss_share(const Level& level);

/// Most visits out of `visits` that may exceed the threshold although all of them hit, if each does so with probability
/// `share`. More do so with probability below 2e-6, even if the true share is 1.5 times as large.
[[nodiscard]] double most_chance_misses(double share, double visits);

/// Most visits out of `visits` that may exceed the threshold although all of them hit, as the control did: 3 standard
/// deviations above its share. 0 without a control. (A deviation is a poor guide where a clock counts by large steps.)
[[nodiscard]] double most_like_control(const Level& level, double visits);

/// Bytes that one miss of a level brings: the distance from one miss to the next in a walk by address that the level
/// cannot hold, at a stride small enough to have hits in between.
struct Fill {
  std::int64_t stride = 0;
  std::vector<double> distance;  ///< from each missing page to the next, bytes
  std::int64_t bytes = 0;        ///< the most frequent distance; an upper bound if it is the stride itself
  double share = 0;              ///< of all distances
  /// Behind the last two misses whose distance is no multiple of `bytes`. Memory is not contiguous there, so that a
  /// region has an entry for each of its parts.
  std::int64_t regular_from = 0;
  bool is_divided = false;  ///< counts of pages showed that a miss brings less than the most frequent distance
};

/// The distances between the missing pages of a walk by address over `pages`. The first page does not count: it misses
/// wherever in an entry it lies. Nothing if fewer than two others missed.
[[nodiscard]] std::optional<Fill> distances_between(const std::vector<std::int64_t>& pages, std::vector<bool> missed);

/// The next number of pages to try in a bisection, when `low` pages fit and some of `high` pages missed. Under LRU,
/// pages that do not miss lie in sets that fit, so the first number that overflows ends with a page that missed.
/// Requires low + 1 < high and one element of `missed` for each of `high` pages.
[[nodiscard]] std::int64_t next_number(std::int64_t low, std::int64_t high, const std::vector<bool>& missed);

}  // namespace tomograph::tlb

#endif
