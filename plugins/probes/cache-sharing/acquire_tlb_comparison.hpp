#ifndef TOMOGRAPH_CACHE_SHARING_ACQUIRE_TLB_COMPARISON_HPP
#define TOMOGRAPH_CACHE_SHARING_ACQUIRE_TLB_COMPARISON_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "analysis_grouping.hpp"
#include "analysis_tlb_evictions.hpp"
#include "tlb_program.hpp"
#include "tomograph/session.hpp"

/// Two ways of comparing SMs by whether they evict each other's pages from a TLB.
namespace tomograph::cache_sharing {

/// Probability of error above which a comparison is undecided.
inline constexpr double largest_error = 0.01;

/// SRRIP (Jaleel et al. 2010) forgets a page that was visited again once misses have filled its set as often as its
/// counters have steps: 7 with 3 bits. A round of a walk fills each set twice.
inline constexpr std::int64_t enough_rounds = 4;

/// Runs tests and keeps what was counted.
class TlbExperiment {
 public:
  TlbExperiment(const Session& session, const TlbLayout& layout)
      : counter(layout.penalty, layout.least_of_level), session_(&session), layout_(layout) {}

  EvictionCounter counter;
  /// Pairs of which the first evicts the second's pages, but not the other way round.
  std::vector<Sms> one_way;

  [[nodiscard]] const TlbLayout& layout() const { return layout_; }

  /// Visits by test and tester.
  [[nodiscard]] std::vector<std::vector<Visits>> run(std::span<const TlbTest> tests);

  /// The odds that `one` and `other` share an instance, of which the first evicts the second's pages with the odds
  /// `forth`. Remembers pairs that evict in one direction only.
  analysis::EffectOdds combine(std::int64_t one, std::int64_t other, const analysis::EffectOdds& forth,
                               const analysis::EffectOdds& back);

 private:
  const Session* session_;
  TlbLayout layout_;
  std::int64_t trial_ = 0;
};

/// Tests the base after others have walked, one by one, beside as many controls of its own in each trial. For small
/// levels and small penalties, which need every page and the tester's own noise.
class CompareOneByOne {
 public:
  explicit CompareOneByOne(TlbExperiment& experiment) : experiment_(&experiment) {}

  /// If the last base shared with nobody, all of the others walk together first, before one test.
  std::vector<analysis::EffectOdds> operator()(std::int64_t base, std::span<const std::int64_t> others);

 private:
  std::vector<analysis::EffectOdds> odds(std::int64_t base, const std::vector<Sms>& walkers);
  void measure(std::int64_t base, const std::vector<Sms>& walkers, std::int64_t batch, std::vector<TestedSm>& found);
  void evaluate(std::span<const std::vector<Visits>> trial, std::vector<TestedSm>& found);

  TlbExperiment* experiment_;
  bool alone_ = false;      ///< the last base shares with nobody
  bool undecided_ = false;  ///< some comparison is
};

/// Tests many SMs, each on the same pages in its own TLB, after many others have walked: fit to show that no two SMs
/// share. Testers that share evict each other's pages. SMs whose comparison is not sure yet are tested again.
class CompareSplits {
 public:
  /// SMs walk so many rounds before the test.
  explicit CompareSplits(TlbExperiment& experiment, std::int64_t rounds = 1)
      : experiment_(&experiment), rounds_(rounds) {}

  std::vector<analysis::EffectOdds> operator()(const analysis::Split& split);

 private:
  void measure(const analysis::Split& split, std::span<const std::size_t> open, std::int64_t batch,
               std::vector<TestedSm>& found);
  void evaluate(std::span<const std::vector<Visits>> trial, std::size_t tester, TestedSm& found);

  TlbExperiment* experiment_;
  std::int64_t rounds_;
};

/// Tests dozens of SMs, each on pages of its own, after one walk of the base. For levels with room for all these pages
/// and penalties that stand out from noise in every SM.
class CompareManyAtOnce {
 public:
  /// Measures undisturbed visits of all SMs.
  CompareManyAtOnce(TlbExperiment& experiment, std::int64_t sms);

  /// SMs whose comparison is not sure yet are tested again.
  std::vector<analysis::EffectOdds> operator()(std::int64_t base, std::span<const std::int64_t> others);

 private:
  void test_back(std::int64_t base, std::span<const std::int64_t> others, std::vector<analysis::EffectOdds>& result);
  std::vector<analysis::EffectOdds> odds_of_base(std::int64_t base, const Sms& walkers, std::int64_t rounds);
  void test(std::int64_t base, std::span<const std::int64_t> others, std::span<const std::size_t> open,
            std::vector<TestedSm>& found);

  TlbExperiment* experiment_;
  std::vector<Visits> undisturbed_;  ///< by SM
};

}  // namespace tomograph::cache_sharing

#endif
