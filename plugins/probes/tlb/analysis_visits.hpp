#ifndef TOMOGRAPH_TLB_ANALYSIS_VISITS_HPP
#define TOMOGRAPH_TLB_ANALYSIS_VISITS_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis_policy.hpp"

/// Visits to the pages of a full set that tell LRU, FIFO and tree-PLRU, which a walk over one page too many treats
/// alike: every visit misses. Pure functions.
namespace tomograph::tlb {

/// Visits that are timed, each followed by pages that evict it from the levels before.
struct Visits {
  std::vector<std::int64_t> order;  ///< numbers of the set's pages: a walk over all of them, then all visits
  std::vector<std::size_t> timed;   ///< of `order`, those that are timed: the walk, and the visits
  std::size_t walked = 0;           ///< of `timed`, those of the walk
  /// For each of `timed`, the page that is loaded once after it, or `nothing`.
  std::vector<std::int64_t> touched;

  static constexpr std::int64_t nothing = -1;  // no page has this number
};

/// A walk over `pages` pages of a set that holds one page less, then `count` of its pages. Half of them are what LRU
/// has just replaced, the others are among the next that it would replace, which FIFO and tree-PLRU do not keep for
/// that. `between` are those pages of the set that are visited after the walk and after each visit. `touches`: after
/// some visits the page that LRU does not hold is loaded once. A timed visit loads its page twice, which protects it
/// also where a policy brings new pages in as the next victims. Requires at least 2 pages.
[[nodiscard]] Visits telling_visits(std::size_t pages, std::size_t count, std::span<const std::int64_t> between,
                                    std::uint64_t seed, bool touches = false);

/// Whether levels before served more of the visits than noise makes seem so: these say nothing about the level. Under
/// some policies, other pages do not evict what was visited before. `medians` are those of so many programs.
[[nodiscard]] bool are_hidden(const Level& level, std::span<const double> medians, std::int64_t programs);

/// Whether more than few visits take clearly longer than a miss of the level: L2 has lost their lines, of hits as well,
/// or the level behind misses.
[[nodiscard]] bool are_late(const Level& level, std::span<const double> extra_latency);

/// Sequences of visits, and those of them in which each visit hits or misses as a policy has it.
struct Agreement {
  std::size_t sequences = 0;
  std::size_t lru = 0;
  std::size_t fifo = 0;
  std::size_t tree_plru = 0;
  std::size_t none = 0;
  std::size_t nearly_lru = 0;   ///< of these, those of which 2 % of the visits, or one, deviate from LRU
  std::size_t hitting = 0;      ///< sequences whose walk hit now and then
  std::size_t hidden = 0;       ///< sequences that may agree with no policy since visits are hidden or late
  std::size_t hitting_lru = 0;  ///< of these, those that agree with LRU

  /// Adds a sequence. `missed` has one element for each timed visit. If the walk did not miss throughout, something was
  /// left in the set, and what the walk makes of it is known under LRU alone: its last pages. A sequence does not count
  /// if it agrees with LRU and another policy. (With two ways, tree-PLRU is LRU.)
  void add(const Visits& visits, const std::vector<bool>& missed);
};

/// The policy that at least half of the sequences agree on; "not-lru" if none of them agrees on any. Where too few
/// walks missed throughout, LRU or none. The name is empty if they do not decide.
[[nodiscard]] Policy policy_of(const Agreement& agreement);

}  // namespace tomograph::tlb

#endif
