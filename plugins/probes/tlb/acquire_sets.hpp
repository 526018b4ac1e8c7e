#ifndef TOMOGRAPH_TLB_ACQUIRE_SETS_HPP
#define TOMOGRAPH_TLB_ACQUIRE_SETS_HPP

#include <string>
#include <vector>

#include "analysis_groups.hpp"
#include "analysis_levels.hpp"
#include "analysis_policy.hpp"
#include "tomograph/tlb/walk.hpp"

/// Measures into which sets one level of a TLB puts its entries, and which of them it replaces.
namespace tomograph::tlb {

/// What is known of a level when its sets are measured.
struct Organisation {
  Level level;
  std::int64_t entries = 0;
  std::int64_t entry_span = 0;
  std::int64_t evicting_pages = 0;  ///< so many pages evict everything from the levels before; 0 for the first level
};

struct SetWays {
  std::vector<std::int64_t> ways;  ///< of each set, largest first; empty: unknown
  std::vector<Group> groups;       ///< verified: together they miss, without any one of their pages they fit
  /// Pages of other sets than those of the first `siblings` groups. They fit together, and evict everything from
  /// whatever lies before the level. That may be more than the levels that were found: an H200 keeps some hundred pages
  /// in a buffer that walks do not show, and one entry more than its sets hold. A group is therefore best walked
  /// together with its siblings, which keep that buffer busy.
  std::vector<std::int64_t> others;
  std::size_t siblings = 1;
  std::size_t rounds = 1;             ///< passes over the others: a level before it that replaces at random keeps some
                                      ///< pages for long
  std::vector<double> drawn;          ///< pages of each draw
  std::vector<double> drawn_missing;  ///< of them, those that missed
  double confidence = 0;
  std::string method;
  std::string reason;  ///< why `ways` is empty
};

/// One set if as many pages as there are entries fit, wherever they lie. Else pages some entries apart may show equal
/// sets (acquire_strides.hpp). Else groups are found in walks over random
/// pages of which a few miss: the pages that begin to fit when one is left out share its set. If all sets are alike,
/// their number follows from the entries. If they are not, and the level is small, random pages are added one by one;
/// those that begin to miss with each page are a set and one page too many (Mei & Chu 2017, Fig. 8). This goes on until
/// all entries are accounted for.
[[nodiscard]] SetWays set_ways(const Memory& memory, const Organisation& known);

/// Whether as many pages as there are entries fit, wherever they lie. Where noise makes a tenth of such draws seem to
/// miss, 6 of 8 fit with probability 0.96.
[[nodiscard]] bool fully_associative(const Memory& memory, const Organisation& known);

/// Whether one page more than there are entries never fits, wherever the pages lie.
[[nodiscard]] bool one_more_overflows(const Memory& memory, const Organisation& known);

/// The replacement policy, from walks over groups (Mei & Chu 2017, Fig. 11). Where all pages of a group miss, visits in
/// random order decide, which LRU, FIFO or tree-PLRU must explain one by one.
[[nodiscard]] Policy policy(const Memory& memory, const Organisation& known, const SetWays& found);

}  // namespace tomograph::tlb

#endif
