#include "analysis_overflow.hpp"

#include <algorithm>
#include <numeric>

namespace tomograph::classical_methods {

namespace {

/// Misses of a node that fits no more. If two of 10,000 loads are misread, one node of 200,000 that fits shows as many
/// in 16 rounds (binomial).
constexpr int certain = 2;

}  // namespace

std::int64_t Misses::nodes() const {
  return std::ranges::count_if(of_node, [](int misses) { return misses >= certain; });
}

double Misses::rate() const {
  return std::accumulate(of_node.begin(), of_node.end(), 0.0) / static_cast<double>(of_node.size()) / rounds;
}

bool Misses::is_periodic() const {
  return std::ranges::all_of(of_node, [&](int misses) { return misses < certain || misses >= rounds - 1; });
}

std::optional<std::int64_t> line_size(std::span<const std::int64_t> missed, std::int64_t element_bytes) {
  std::vector<std::int64_t> grown;
  for (std::size_t i = 0; i < missed.size(); ++i) {
    if (missed[i] > (i == 0 ? 0 : missed[i - 1])) grown.push_back(static_cast<std::int64_t>(i));
  }
  if (grown.size() < 2) return std::nullopt;
  return (grown[1] - grown[0]) * element_bytes;
}

std::vector<std::int64_t> ways_of_sets(std::span<const std::int64_t> missed) {
  std::vector<std::int64_t> ways;
  std::int64_t before = 0;
  for (const std::int64_t count : missed) {
    const std::int64_t more = count - before;
    if (more > 1) ways.push_back(more - 1);
    before = count;
  }
  return ways;
}

}  // namespace tomograph::classical_methods
