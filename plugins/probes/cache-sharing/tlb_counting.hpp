#ifndef TOMOGRAPH_CACHE_SHARING_TLB_COUNTING_HPP
#define TOMOGRAPH_CACHE_SHARING_TLB_COUNTING_HPP

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis_effect.hpp"
#include "tlb_scene.hpp"
#include "tomograph/session/session.hpp"

namespace tomograph::cache_sharing {

/// A comparison: what is known of one tester.
struct Tested {
  analysis::EventCount count;
  double extra_latency = 0;  ///< sum over its visits
};

/// By page: median over what was repeated, but one to leave out; none is left out by a number beyond the last.
[[nodiscard]] std::vector<double> medians(std::span<const std::vector<double>> repeated, std::size_t left_out);

/// Runs scenes, and keeps what was counted.
class Counting {
 public:
  Counting(const Session& session, const Ground& ground) : session_(&session), ground_(ground) {}

  analysis::EventCount idle;  ///< visits after idle walkers
  analysis::EventCount own;   ///< visits after the tester's own walk

  /// Pairs of which the first evicts the second's pages, but not the other way round.
  std::vector<Sms> one_way;

  /// SMs share an instance if each of them evicts the other's pages: `forth` with what `back` says.
  analysis::EffectOdds both_ways(std::int64_t base, std::int64_t other, const analysis::EffectOdds& forth,
                                 const analysis::EffectOdds& back);

  /// Extra latency of each visit, by scene and tester.
  [[nodiscard]] std::vector<std::vector<std::vector<double>>> run(std::span<const Scene> scenes);

  /// Visits that took longer than `calm` ones by more than half of the penalty: some lines take a few cycles more,
  /// again and again.
  void count(std::span<const double> cycles, std::span<const double> calm, analysis::EventCount& into) const;

  /// The same of one tester, with its extra latency.
  void add(std::span<const double> cycles, std::span<const double> calm, Tested& tested) const;

  /// An instance serves an SM or does not: the odds of each comparison by what controls showed.
  [[nodiscard]] std::vector<analysis::EffectOdds> odds(std::span<const Tested> all) const;

  /// Into the evidence: what `tester` showed after `walkers` SMs walked, the first of which was `walker`.
  void keep(std::int64_t walker, std::size_t walkers, std::int64_t tester, const Tested& tested);

  [[nodiscard]] std::vector<NamedArray> columns() const;
  [[nodiscard]] std::uint64_t tested() const;

 private:
  static constexpr std::array names{
      "walking_sm",  "walking_sms",  "tested_sm",  "tested",     "evicted", "mean_surplus_over_idle_cycles",
      "idle_tested", "idle_evicted", "own_tested", "own_evicted"};

  const Session* session_;
  Ground ground_;
  std::int64_t trial_ = 0;
  std::array<std::vector<double>, names.size()> columns_;
};

}  // namespace tomograph::cache_sharing

#endif
