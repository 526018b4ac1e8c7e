#include "analysis_latency.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::data_cache {

void lower_threshold_below(double far, cache::HitAndMiss& seen) {
  if (!seen.threshold) return;
  seen.far_hits_are_misses = true;
  constexpr double nearly_all = 0.99;  // at most 1 % of the hits become misses
  const double slowest_hit = analysis::quantile(seen.hits, nearly_all);
  seen.threshold->cycles = std::min(seen.threshold->cycles, (slowest_hit + far) / 2);
}

void drop_far_hits(double far, cache::HitAndMiss& seen) {
  if (seen.again.empty()) return;
  const double crossing = far - analysis::median(seen.hits);
  const auto takes_longer = [&](std::size_t load, double least, double most) {
    const double extra = seen.misses[load] - seen.again[load];
    return extra > least * crossing && extra <= most * crossing;
  };
  const auto is_far_hit = [&](std::size_t load) { return takes_longer(load, 0.5, 1.5); };
  std::size_t far_hits = 0;
  std::size_t between = 0;
  for (std::size_t load = 0; load < seen.misses.size(); ++load) {
    far_hits += is_far_hit(load) ? 1 : 0;
    between += takes_longer(load, 1.5, 2.5) ? 1 : 0;
  }
  constexpr std::size_t clearly = 4;  // times as many: else misses take little longer. A choice.
  if (far_hits <= clearly * between || 2 * far_hits > seen.misses.size()) return;
  cache::HitAndMiss kept;
  for (std::size_t load = 0; load < seen.misses.size(); ++load) {
    if (is_far_hit(load)) continue;
    kept.misses.push_back(seen.misses[load]);
    kept.again.push_back(seen.again[load]);
    if (!seen.programs.empty()) kept.programs.push_back(seen.programs[load]);
  }
  seen.held_elsewhere = static_cast<double>(far_hits) / static_cast<double>(seen.misses.size());
  seen.misses = std::move(kept.misses);
  seen.again = std::move(kept.again);
  seen.programs = std::move(kept.programs);
}

}  // namespace tomograph::data_cache
