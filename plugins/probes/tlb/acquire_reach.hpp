#ifndef TOMOGRAPH_TLB_ACQUIRE_REACH_HPP
#define TOMOGRAPH_TLB_ACQUIRE_REACH_HPP

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis_levels.hpp"
#include "tomograph/tlb/walk.hpp"

/// Counts the pages that fit one level, and asks which of them share an entry.
namespace tomograph::tlb {

/// How many evenly spaced pages of one level fit, and what an entry of it serves. Keeps each number that it has found.
class Reach {
 public:
  /// `evicting_pages` evict everything from the levels before. All others outlive this.
  Reach(const Memory& memory, const Level& level, std::span<const Cell> matrix, std::int64_t evicting_pages)
      : memory_(memory), level_(level), matrix_(matrix), evicting_pages_(evicting_pages) {}

  /// The exact number of evenly spaced pages from `start` on that fit the level together, by bisection from what the
  /// matrix brackets; 1 for a level that holds fewer than two. Nothing if the memory does not hold enough pages to
  /// overflow the level, or if they are too many to be timed.
  [[nodiscard]] std::optional<std::int64_t> most_fitting(std::int64_t stride, std::int64_t start = 0);

  /// Whether one entry serves pages `distance` apart, as far as walks tell. It does if, for some offset of the pages
  /// (an entry serves an aligned region), pages that just fit still fit together with their neighbours at that
  /// distance, and pages too many are still too many when they are moved by the distance. (In the first case, other
  /// neighbours would take entries of their own; in the second, the moved pages would go to other sets.) As many are
  /// moved as the levels before cannot hide: these may have other sets for them, too. How many pages
  /// just fit depends on the offset where entries are wider still, since the first and the last one may serve fewer
  /// pages than the others: they are counted at each offset, unless a device refuses that. Nothing if memory is too
  /// small.
  [[nodiscard]] std::optional<bool> one_entry(std::int64_t distance);

  /// Whether one entry serves both halves of `span`, where a level before may serve the second half of what a page has
  /// just brought: the same walks as for `one_entry`, but neighbours come after all pages. Nothing if memory is too
  /// small, or if a device refuses them.
  [[nodiscard]] std::optional<bool> halves_share_entry(std::int64_t span);

  /// Whether twice as many pages fit at half the distance, as they do where an entry serves both halves, but for one
  /// that the array begins in the middle of; else no more fit than before. Half as many again decide. True if these
  /// cannot be walked.
  [[nodiscard]] bool twice_as_many_fit(std::int64_t distance);

 private:
  [[nodiscard]] std::optional<std::int64_t> count(std::int64_t stride, std::int64_t start) const;
  [[nodiscard]] std::int64_t most_pages(std::int64_t stride, std::int64_t start) const;
  [[nodiscard]] std::optional<std::int64_t> counted(std::int64_t stride) const;
  [[nodiscard]] std::optional<bool> so_many_fit(std::int64_t pages, std::int64_t stride, std::int64_t start) const;
  [[nodiscard]] std::optional<std::int64_t> counted_from(std::int64_t stride, std::int64_t start);
  [[nodiscard]] std::optional<bool> one_entry_near_memory_size(std::int64_t distance);
  [[nodiscard]] bool one_entry_wherever_regions_begin(std::int64_t distance, std::int64_t most) const;

  const Memory& memory_;
  const Level& level_;
  std::span<const Cell> matrix_;
  std::int64_t evicting_pages_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::optional<std::int64_t>> fitting_;  ///< by stride and start
};

/// Pages of a long walk that are still present when it is walked backwards: under LRU or FIFO exactly the entries of
/// the level, whatever its sets, once all of them overflow. 0 if the way there finds the same pages, which only another
/// policy keeps.
[[nodiscard]] std::int64_t retained(const Memory& memory, const Level& level, const std::vector<std::int64_t>& pages,
                                    std::int64_t unit);

}  // namespace tomograph::tlb

#endif
