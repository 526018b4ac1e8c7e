#include "tomograph/tlb/eviction.hpp"

#include <algorithm>
#include <cmath>

namespace tomograph::tlb {

double random_miss_share(std::int64_t ways, std::int64_t pages) {
  double share = 1;
  // For half as many pages again as ways, or more, a step leaves less than 0.63 of the error: 200 leave none.
  for (int step = 0; step < 200; ++step) {
    share = 1 - std::pow(1 - 1 / static_cast<double>(ways), share * static_cast<double>(pages - 1));
  }
  return share;
}

std::int64_t walks_that_evict(std::int64_t entries, std::int64_t pages) {
  constexpr double survivors = 1.0 / 400;  // the median of five programs sees one in 2e-7 of the cases (binomial)
  // A walk over few more pages than entries replaces so little that more walks would take too long.
  constexpr double most = 64;
  const auto held = static_cast<double>(entries);
  const double misses = random_miss_share(entries, pages) * static_cast<double>(pages);
  // Each miss spares an entry with probability 1 - 1 / entries.
  const double needed = std::log(survivors) / std::log1p(-1 / (held + 1));
  return static_cast<std::int64_t>(std::ceil(std::clamp(needed / misses, 1.0, most)));
}

}  // namespace tomograph::tlb
