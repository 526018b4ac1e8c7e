#ifndef TOMOGRAPH_CACHE_SHARING_ANALYSIS_CODE_HPP
#define TOMOGRAPH_CACHE_SHARING_ANALYSIS_CODE_HPP

#include <map>
#include <optional>
#include <vector>

#include "analysis_effect.hpp"

/// Whether constants and code evict each other, from latencies after controls and after the rival's loads.
namespace tomograph::cache_sharing {

/// What happens between the owner's loads and the test of what it loaded.
enum class Between {
  nothing,  ///< and so little is loaded that the nearest cache holds it
  idle,     ///< the rival loads one line only, as often
  own,      ///< the owner loads twice what the level holds
  all,      ///< the owner loads everything else
  rival     ///< the rival loads twice what the level holds
};

/// Net latencies of the tests, by what happened before them.
using LatenciesAfter = std::map<Between, std::vector<double>>;

/// Evidence from tests with known thresholds: loads up to `before` cycles were served by the level before and do not
/// count, loads above `threshold` were evicted. `known` is the control whose effect is known.
[[nodiscard]] analysis::EffectEvidence eviction_evidence(const LatenciesAfter& seen, Between known, double before,
                                                         double threshold);

/// Evidence about code in a cache behind another one. Nothing if its own loads do not evict it, or if the level before
/// holds it.
[[nodiscard]] std::optional<analysis::EffectEvidence> evidence_behind(const LatenciesAfter& seen);

/// Evidence about code in the first cache. If twice the cache's size of code evicts nothing, the code is in a larger
/// cache, and all other code is the control. Nothing if that evicts nothing either.
[[nodiscard]] std::optional<analysis::EffectEvidence> evidence_first(const LatenciesAfter& seen);

}  // namespace tomograph::cache_sharing

#endif
