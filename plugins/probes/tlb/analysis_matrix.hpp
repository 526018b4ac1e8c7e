#ifndef TOMOGRAPH_TLB_ANALYSIS_MATRIX_HPP
#define TOMOGRAPH_TLB_ANALYSIS_MATRIX_HPP

#include <span>
#include <string>
#include <vector>

#include "analysis_levels.hpp"
#include "analysis_misses.hpp"

/// What a matrix of walks says beside its levels: whether TLBs cause them, which of them is the page-table window, and
/// whether noise hides one. Pure functions.
namespace tomograph::tlb {

/// Walks in random order: strides that are powers of two, and doubled numbers of pages.
struct Matrix {
  std::vector<Cell> cells;
  std::vector<double> control;  ///< extra latencies of as many different lines on few pages
  double noise = 1;             ///< standard deviation of the control: of single visits that miss nothing
  /// The same from the control's inner 90 %: a median of steps of the clock is a step too large or too small.
  double deviation = 1;
  double clock_step = 1;  ///< cycles by which the clock counts
};

/// The standard deviation of normal `cycles`, of which up to 5 % on either side may be anything; at least that of the
/// difference of two times that count by `clock_step`.
[[nodiscard]] double inner_deviation(std::vector<double> cycles, double clock_step);

/// The largest number of whole cycles of which all of `cycles` are multiples, 1 at least.
[[nodiscard]] double clock_step(std::span<const double> cycles);

/// `level` with the visits of the control that exceed its threshold.
[[nodiscard]] Level with_control(Level level, std::span<const double> control);

/// Whether nearly all visits look like hits: few take longer than `hit`, whose standard deviation is `noise`, in
/// cycles.
[[nodiscard]] bool hits_throughout(std::span<const double> extra_latency, double hit, double noise);

/// Whether the lines of the largest walk look like hits when they lie on few pages.
[[nodiscard]] bool control_is_clean(const Matrix& matrix, const Level& first);

/// Pages that evict everything from the examined levels up to this one, one page per entry. `entries` are those of this
/// level; if they are unknown, the walks that overflow it at the largest stride decide. `before` is the result for the
/// levels before it.
[[nodiscard]] std::int64_t pages_that_evict(const Matrix& matrix, const Level& level,
                                            std::optional<std::int64_t> entries, std::int64_t before);

/// Pages, one per entry, that the level behind surely holds. Without one (`next` is null), all that were walked.
[[nodiscard]] std::int64_t pages_held_behind(std::span<const Cell> matrix, const Level* next, std::int64_t span);

/// Whether walks of as many pages as a level has entries, one span apart, still fit the level before it.
[[nodiscard]] bool holds_no_more(std::span<const Cell> matrix, const Level& before, std::int64_t span,
                                 std::int64_t entries);

/// Why noise seems to hide a level before the first one that was found; empty if it does not.
[[nodiscard]] std::string hidden_level(const Matrix& matrix, const std::vector<Level>& levels);

/// Why there may be another level behind the last one that was found; empty if nothing hints at it.
[[nodiscard]] std::string unclear_level(const Staircase& staircase);

/// Why there may be another level behind the last one: of a walk of which all pages are `timed`, more miss something
/// beyond it than of the matrix's walks over about as many. Empty if they do not.
[[nodiscard]] std::string keeping_level(const Matrix& matrix, const Level& last, const Cell& timed);

/// Why no walk tells which of its visits missed the level; empty if walks do.
[[nodiscard]] std::string unresolvable_level(const Level& level);

}  // namespace tomograph::tlb

#endif
