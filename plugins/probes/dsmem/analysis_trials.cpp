#include "analysis_trials.hpp"

#include <algorithm>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::dsmem {

Estimate summarize(std::span<const double> trials, double resolution) {
  // The placement of clusters differs between launches. The interquartile mean scatters less than the median, and a
  // single slow trial does not move it.
  const double value = analysis::trimmed_mean(trials, 0.25);
  const auto [low, high] = std::ranges::minmax(trials);
  const double margin = high - low + resolution * value;
  return {value, {low - margin, high + margin}, trials.size()};
}

}  // namespace tomograph::dsmem
