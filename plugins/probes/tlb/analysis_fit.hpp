#ifndef TOMOGRAPH_TLB_ANALYSIS_FIT_HPP
#define TOMOGRAPH_TLB_ANALYSIS_FIT_HPP

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis_levels.hpp"
#include "tomograph/tlb/walk.hpp"

/// Whether the pages that walks visit over and over fit a level. Pure functions.
namespace tomograph::tlb {

/// What walks over the same pages missed. A page misses if it does in all of the walks.
class Misses {
 public:
  Misses(const Level& level, std::size_t pages) : level_(level), missed_(pages, true), above_each_(pages) {}

  /// Adds a walk over the pages.
  void add(const ExtraLatency& seen);

  [[nodiscard]] std::int64_t pages() const { return std::ssize(missed_); }
  /// Passes of all walks.
  [[nodiscard]] std::int64_t passes() const { return static_cast<std::int64_t>(visits_ / missed_.size()); }
  [[nodiscard]] const std::vector<bool>& missed() const { return missed_; }
  [[nodiscard]] bool none_missed() const;
  /// Visits that exceeded the threshold.
  [[nodiscard]] std::int64_t above() const;
  [[nodiscard]] double share_above() const;
  /// One standard deviation of that share.
  [[nodiscard]] double error_of_share() const;

  /// Whether no page missed, and no more visits than chance explains. One page too many costs two misses in each pass
  /// where victims are random, and more under other policies: up to one is taken for delays and for lines that L2 does
  /// not hold. The share `of_lines` of the visits has another cause and is left out.
  [[nodiscard]] bool fit(double of_lines = 0) const;
  /// Whether no page missed, and about as many visits in each pass as one page too many costs, or as a few lines that
  /// L2 does not hold.
  [[nodiscard]] bool are_few() const { return none_missed() && above() > passes() && above() <= 3 * passes(); }
  /// Whether most pages miss in each of several passes. Where victims are random, a walk that fits has settled further
  /// than that after the first pass, and L2 cannot fail to hold most lines of so few.
  [[nodiscard]] bool most_missed() const;
  /// Whether pages miss in several passes, and hardly any in some of them only: such misses do not settle.
  [[nodiscard]] bool are_constant() const;

 private:
  Level level_;
  std::vector<bool> missed_;
  std::vector<std::int64_t> above_each_;  ///< by page
  std::size_t visits_ = 0;
};

/// Whether walks over `all` pages exceed the threshold hardly more often than walks over half of them, which surely fit
/// if nearly all do. One page too many costs two misses or more in each pass, of which noise hides a share; one is the
/// bound. Nothing while so few visits were made that chance could decide.
[[nodiscard]] std::optional<bool> exceed_alike(const Misses& all, const Misses& half);

}  // namespace tomograph::tlb

#endif
