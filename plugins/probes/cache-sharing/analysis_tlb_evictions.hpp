#ifndef TOMOGRAPH_CACHE_SHARING_ANALYSIS_TLB_EVICTIONS_HPP
#define TOMOGRAPH_CACHE_SHARING_ANALYSIS_TLB_EVICTIONS_HPP

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis_effect.hpp"
#include "tomograph/experiment.hpp"

/// Which SMs evict each other's pages from a TLB, from the extra latencies of visits.
namespace tomograph::cache_sharing {

/// Extra latency of each visit of one tester in one program, by page.
using Visits = std::vector<double>;

/// What is known about one tester.
struct TestedSm {
  analysis::EventCount count;
  double extra_latency = 0;  ///< sum over its visits
  std::uint64_t hidden = 0;  ///< visits that found their page in a level before
};

/// By page: median over the repetitions. The one numbered `left_out` does not count; a number beyond the last leaves
/// out none.
[[nodiscard]] Visits medians(std::span<const Visits> repeated, std::size_t left_out);

/// SMs share an instance if each of them evicts the other's pages. `forth` says that the first evicts the second's.
[[nodiscard]] analysis::EffectOdds both_directions(const analysis::EffectOdds& forth, const analysis::EffectOdds& back);

/// Counts evicted pages, and keeps the counts as evidence.
class EvictionCounter {
 public:
  /// A miss of the level takes `penalty` cycles; a visit that misses the levels before takes more than
  /// `least_of_level`.
  EvictionCounter(double penalty, double least_of_level) : penalty_(penalty), least_of_level_(least_of_level) {}

  analysis::EventCount idle;  ///< visits after idle walkers
  analysis::EventCount own;   ///< visits after the tester's own walk

  /// A page was evicted if its visit took longer than the undisturbed visit of the same page by more than half of the
  /// penalty. Some lines always take a few cycles more, so each page is compared with itself.
  void count(const Visits& visits, const Visits& undisturbed, analysis::EventCount& into) const;

  /// The same for one tester, with its extra latency.
  void add(const Visits& visits, const Visits& undisturbed, TestedSm& tested) const;

  /// Counts the repetitions of an idle test, each against the median of the others.
  void count_idle(std::span<const Visits> repeated);

  /// Whether one visit says whether its page was evicted: at most 2 % of the idle ones say so.
  [[nodiscard]] bool is_clear() const;

  /// Odds of each tester by the counts of the controls.
  [[nodiscard]] std::vector<analysis::EffectOdds> odds(std::span<const TestedSm> all) const;

  /// Why SMs may share though they seem not to; empty if nothing speaks for it. Testers whose pages were not evicted
  /// may have found them in a level before, from which other pages, under some policies, do not evict what was visited
  /// before. Or a walk evicts some of the pages, and neither all nor none.
  [[nodiscard]] std::string objection() const;
  /// Forgets what speaks for it, where the comparisons so far decide nothing.
  void drop_objections();

  /// Into the evidence: what `tester` showed after `walkers` SMs walked, the first of which was `walker`.
  void keep(std::int64_t walker, std::size_t walkers, std::int64_t tester, const TestedSm& tested);

  [[nodiscard]] std::vector<NamedArray> columns() const;
  [[nodiscard]] std::uint64_t tested() const;

 private:
  static constexpr std::array names{
      "walking_sm",  "walking_sms",  "tested_sm",  "tested",     "evicted", "mean_extra_latency_over_idle_cycles",
      "idle_tested", "idle_evicted", "own_tested", "own_evicted"};

  [[nodiscard]] bool is_partial(const analysis::EventCount& count) const;

  double penalty_;
  double least_of_level_;
  analysis::EventCount hidden_;     ///< testers whose pages were not evicted, and those that a level before hid
  std::size_t partly_evicted_ = 0;  ///< testers
  std::array<std::vector<double>, names.size()> columns_;
};

}  // namespace tomograph::cache_sharing

#endif
