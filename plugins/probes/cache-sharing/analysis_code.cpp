#include "analysis_code.hpp"

#include <span>

#include "tomograph/analysis/latency_modes.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::cache_sharing {

namespace {

/// Loads that the level before served do not count.
analysis::EventCount count(std::span<const double> latencies, double before, double threshold) {
  analysis::EventCount seen;
  for (const double cycles : latencies) {
    if (cycles <= before) continue;
    ++seen.tests;
    seen.events += cycles > threshold ? 1 : 0;
  }
  return seen;
}

/// The limit between latencies after a faster and a slower control. How long code takes that a level holds is no fact
/// of any probe.
std::optional<double> limit_between(const LatenciesAfter& seen, Between faster, Between slower) {
  // Of the lines, after the slower control: twice the capacity leaves e^-2, 14 %, if victims are random. Twice that:
  // chosen by hand.
  constexpr double survivors = 0.3;
  const auto found = analysis::threshold_between(seen.at(faster), seen.at(slower), survivors);
  if (!found || analysis::median(seen.at(slower)) <= analysis::median(seen.at(faster))) return std::nullopt;
  return found->cycles;
}

}  // namespace

analysis::EffectEvidence eviction_evidence(const LatenciesAfter& seen, Between known, double before, double threshold) {
  const auto counted = [&](Between between) { return count(seen.at(between), before, threshold); };
  return analysis::effect_evidence(counted(Between::idle), counted(known), counted(Between::rival));
}

std::optional<analysis::EffectEvidence> evidence_behind(const LatenciesAfter& seen) {
  const auto before = limit_between(seen, Between::nothing, Between::idle);
  const auto threshold = limit_between(seen, Between::idle, Between::own);
  if (!before || !threshold) return std::nullopt;
  return eviction_evidence(seen, Between::own, *before, *threshold);
}

std::optional<analysis::EffectEvidence> evidence_first(const LatenciesAfter& seen) {
  for (const Between known : {Between::own, Between::all}) {
    if (const auto threshold = limit_between(seen, Between::idle, known))
      return eviction_evidence(seen, known, 0, *threshold);
  }
  return std::nullopt;
}

}  // namespace tomograph::cache_sharing
