#include "analysis_hits.hpp"

#include <algorithm>

namespace tomograph::stores {

Hits count(std::span<const AccessesAnswer> trials, double threshold) {
  Hits found;
  for (const AccessesAnswer& trial : trials) {
    found.lines += trial.cycles.size();
    found.hits += static_cast<std::size_t>(std::ranges::count_if(
        trial.cycles, [&](std::int64_t cycles) { return static_cast<double>(cycles) <= threshold; }));
  }
  return found;
}

}  // namespace tomograph::stores
