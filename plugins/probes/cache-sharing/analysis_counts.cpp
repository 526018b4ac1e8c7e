#include "analysis_counts.hpp"

#include <algorithm>

namespace tomograph::cache_sharing {

using analysis::EffectOdds;
using analysis::EventCount;

analysis::EffectEvidence CountJudge::evidence(const EventCount& count) {
  const auto [entry, is_new] = evaluated_.try_emplace({count.events, count.tests});
  if (is_new) entry->second = controls_.evidence(count);
  return entry->second;
}

analysis::EffectEvidence CountJudge::evidence_without_partial(const EventCount& count) {
  const auto [entry, is_new] = evaluated_.try_emplace({count.events, count.tests});
  if (is_new) entry->second = controls_.evidence_without_partial(count);
  return entry->second;
}

std::vector<EffectOdds> odds_without_partial(const EventCount& without, const EventCount& known,
                                             std::span<const EventCount> counts) {
  CountJudge judge(without, known);
  std::vector<EffectOdds> result;
  for (const EventCount& count : counts) result.push_back(analysis::odds(judge.evidence_without_partial(count), 0));
  return result;
}

std::vector<EffectOdds> same_cache_odds(const EventCount& own, std::span<const WarpPair> pairs) {
  EventCount idle;
  for (const WarpPair& pair : pairs) idle += pair.idle;
  CountJudge judge(idle, own);
  std::vector<EffectOdds> result;
  for (const WarpPair& pair : pairs) {
    auto both = judge.evidence(pair.forth);
    both += judge.evidence(pair.back);
    result.push_back(analysis::odds(both));
  }
  return result;
}

bool all_sure(std::span<const EffectOdds> odds, double error) {
  return std::ranges::all_of(odds, [&](const EffectOdds& one) { return one.error() < error; });
}

std::vector<std::size_t> unsure(std::span<const EffectOdds> odds, double error) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < odds.size(); ++i) {
    if (odds[i].error() >= error) numbers.push_back(i);
  }
  return numbers;
}

}  // namespace tomograph::cache_sharing
