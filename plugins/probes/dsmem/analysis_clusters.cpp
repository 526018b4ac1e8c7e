#include "analysis_clusters.hpp"

#include <algorithm>

namespace tomograph::dsmem {

std::int64_t largest_cluster(std::int64_t first_size, std::span<const ClustersAnswer> answers) {
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::int64_t size = first_size + static_cast<std::int64_t>(i);
    const auto& seen = answers[i].seen_size;
    const bool right = std::ranges::all_of(seen, [&](std::int64_t one) { return one == size; });
    if (answers[i].resident > 0 && !seen.empty() && right) largest = size;
  }
  return largest;
}

}  // namespace tomograph::dsmem
