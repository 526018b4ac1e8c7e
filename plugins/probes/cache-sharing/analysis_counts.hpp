#ifndef TOMOGRAPH_CACHE_SHARING_ANALYSIS_COUNTS_HPP
#define TOMOGRAPH_CACHE_SHARING_ANALYSIS_COUNTS_HPP

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "analysis_effect.hpp"

/// Verdicts on many counts with the same controls.
namespace tomograph::cache_sharing {

/// Evidence of counts against two controls: without any cause, and with the known one. Many counts are equal; each is
/// evaluated once.
class CountJudge {
 public:
  CountJudge(const analysis::EventCount& without, const analysis::EventCount& known) : controls_(without, known) {}

  [[nodiscard]] analysis::EffectEvidence evidence(const analysis::EventCount& count);
  /// Where a partial effect is ruled out. A judge answers one of both questions only.
  [[nodiscard]] analysis::EffectEvidence evidence_without_partial(const analysis::EventCount& count);

 private:
  analysis::EffectControls controls_;
  std::map<std::pair<std::size_t, std::size_t>, analysis::EffectEvidence> evaluated_;
};

/// Odds of each count where the effect is absent or full: an instance serves an SM or does not.
[[nodiscard]] std::vector<analysis::EffectOdds> odds_without_partial(const analysis::EventCount& without,
                                                                     const analysis::EventCount& known,
                                                                     std::span<const analysis::EventCount> counts);

/// Counts of two warps: lines of each evicted by the other one, and after an idle walk of the other one.
struct WarpPair {
  analysis::EventCount forth;
  analysis::EventCount back;
  analysis::EventCount idle;
};

/// Odds that the warps of each pair use the same cache. `own` counts what the base warp evicts of its own lines.
[[nodiscard]] std::vector<analysis::EffectOdds> same_cache_odds(const analysis::EventCount& own,
                                                                std::span<const WarpPair> pairs);

/// Whether the probability of error of every comparison is less than `error`.
[[nodiscard]] bool all_sure(std::span<const analysis::EffectOdds> odds, double error);
/// The numbers of the comparisons whose is not.
[[nodiscard]] std::vector<std::size_t> unsure(std::span<const analysis::EffectOdds> odds, double error);

}  // namespace tomograph::cache_sharing

#endif
