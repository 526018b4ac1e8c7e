#ifndef TOMOGRAPH_TLB_SETS_HPP
#define TOMOGRAPH_TLB_SETS_HPP

#include <string>
#include <vector>

#include "levels.hpp"
#include "tomograph/tlb/walk.hpp"

/// Into which sets one level of a TLB puts its entries, and which of them it replaces.
namespace tomograph::tlb {

/// What is known of a level when its sets are looked for.
struct Organisation {
  Level level;
  std::int64_t entries = 0;
  std::int64_t entry_span = 0;
  std::int64_t fillers = 0;  ///< pages that push everything out of the levels before this one; 0 for the first
};

/// Pages that share a set and are one too many for it.
using Group = std::vector<std::int64_t>;

struct SetWays {
  std::vector<std::int64_t> ways;  ///< of each set, largest first; empty: not found out
  std::vector<Group> groups;       ///< verified: together they miss, without any one of them they fit
  /// Pages of sets other than those of the first `siblings` groups, that all fit together and push everything out of
  /// whatever lies before the level. There may be more before it than the levels that show: an H200 keeps some hundred
  /// pages where a walk over them meets no step, and one entry more than its sets hold; so a group is best walked
  /// together with its siblings, which keep that one busy.
  std::vector<std::int64_t> others;
  std::size_t siblings = 1;
  std::size_t rounds = 1;             ///< how often the others are passed: a level before it that replaces at random
                                      ///< keeps some pages for long
  std::vector<double> drawn;          ///< pages of each draw
  std::vector<double> drawn_missing;  ///< of them, those that missed
  double confidence = 0;
  std::string method;
  std::string reason;  ///< why `ways` is empty
};

/// One set, if as many pages as there are entries fit wherever they lie. Else groups are found in walks over random
/// pages of which a few miss: those without which others begin to fit share their set. If all sets are alike, their
/// number follows from the entries; if they are not, and the level is small, random pages are added one by one, and
/// those that begin to miss with each of them are a set and one page (Mei & Chu 2017, Fig. 8), until all entries are
/// accounted for.
[[nodiscard]] SetWays set_ways(const Memory& memory, const Organisation& known);

struct Policy {
  std::string name = {};  ///< "lru", "fifo", "random", "way-weighted", "not-lru", or empty
  double confidence = 0;
  std::string reason = {};         ///< why `name` is empty
  std::vector<double> trace = {};  ///< extra latency of each visit of the first group
};

/// From walks over groups (Mei & Chu 2017, Fig. 11); where all of a group misses, its oldest page is visited once more
/// before the overflow: LRU keeps it, FIFO does not.
[[nodiscard]] Policy policy(const Memory& memory, const Organisation& known, const SetWays& sets);

}  // namespace tomograph::tlb

#endif
