#include "analysis_latency.hpp"

#include <algorithm>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::data_cache {

void lower_threshold_below(double far, cache::HitAndMiss& seen) {
  if (!seen.threshold) return;
  seen.far_hits_are_misses = true;
  constexpr double nearly_all = 0.99;  // at most 1 % of the hits become misses
  const double slowest_hit = analysis::quantile(seen.hits, nearly_all);
  seen.threshold->cycles = std::min(seen.threshold->cycles, (slowest_hit + far) / 2);
}

}  // namespace tomograph::data_cache
