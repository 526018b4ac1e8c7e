#include "analysis_conflicts.hpp"

#include <algorithm>
#include <cmath>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::shared_memory {

void find_pattern(Distances& distances, std::int64_t unit) {
  // A further pass takes at least a cycle.
  distances.threshold = cluster_threshold(distances.cycles, 0.5);
  if (!distances.threshold) return;
  std::vector<bool> conflicts;
  for (const double cycles : distances.cycles) conflicts.push_back(cycles > *distances.threshold);
  distances.pattern = bank_pattern(conflicts, unit);
}

double conflict_cycles(const Distances& distances) {
  std::vector<double> free;
  std::vector<double> conflicting;
  for (const double cycles : distances.cycles) (cycles > *distances.threshold ? conflicting : free).push_back(cycles);
  return analysis::median(conflicting) - analysis::median(free);
}

std::int64_t lanes_together(std::span<const double> cycles, double conflict) {
  const auto more = std::ranges::find_if(cycles, [&](double one) { return one > cycles.front() + conflict / 2; });
  return more - cycles.begin();
}

std::optional<std::int64_t> passes_of(double cycles, const LatencyOfPasses& known, double conflict) {
  const auto nearest =
      std::ranges::min_element(known, {}, [&](const auto& one) { return std::abs(one.second - cycles); });
  if (nearest == known.end() || std::abs(nearest->second - cycles) > conflict / 4) return std::nullopt;
  return nearest->first;
}

}  // namespace tomograph::shared_memory
