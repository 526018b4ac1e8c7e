#include "analysis_change_point.hpp"

#include <algorithm>

#include "tomograph/chase.hpp"

namespace tomograph::classical_methods {

bool shows_misses(std::span<const double> latencies, double threshold) {
  // If one load in 10,000 is delayed, two of the 256 loads of a round are in one of 3,000 rounds.
  return std::ranges::count_if(latencies, [&](double cycles) { return cycles > threshold; }) > 1;
}

bool Region::is_narrow() const {
  // A third of the sizes lie in the region: in an eighth, they are 0.4 % of the lower boundary apart. Both were
  // chosen by hand.
  constexpr std::int64_t parts = 8;
  constexpr std::int64_t narrowest = 128;
  return high - low <= std::max(low / parts, narrowest);
}

std::vector<std::int64_t> Region::sizes() const {
  // Another third lies on either side of the region, where nothing changes. Both were chosen by hand.
  constexpr std::int64_t wanted = 96;
  constexpr std::int64_t smallest = 128;
  const std::int64_t width = high - low;
  const std::int64_t first = std::max(low - width, smallest);
  const std::int64_t step = std::max((high + width - first) / wanted, std::int64_t{1});
  std::vector<std::int64_t> found;
  for (std::int64_t bytes = first; bytes <= high + width; bytes += step) {
    const std::int64_t whole = bytes / chase::node_bytes * chase::node_bytes;
    if (found.empty() || whole > found.back()) found.push_back(whole);
  }
  return found;
}

}  // namespace tomograph::classical_methods
