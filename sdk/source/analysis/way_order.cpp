#include "tomograph/analysis/way_order.hpp"

#include <algorithm>
#include <stdexcept>

namespace tomograph::analysis {

namespace {

void require_ways(std::span<const std::size_t> order, std::size_t ways) {
  if (order.empty()) throw std::invalid_argument("an order of victims must name a way");
  if (std::ranges::max(order) >= ways) throw std::invalid_argument("an order of victims names a way that is not there");
}

}  // namespace

std::vector<std::size_t> repeating_order(std::span<const std::size_t> victims) {
  // n random victims of two ways repeat an order so often with a probability below 2^(1 - 2n/3): 5e-4 for 18.
  constexpr std::size_t repetitions = 3;
  for (std::size_t length = 1; length <= victims.size() / repetitions; ++length) {
    if (std::equal(victims.begin() + static_cast<std::ptrdiff_t>(length), victims.end(), victims.begin())) {
      return {victims.begin(), victims.begin() + static_cast<std::ptrdiff_t>(length)};
    }
  }
  return {};
}

std::vector<double> shares_of_ways(std::span<const std::size_t> order, std::size_t ways) {
  require_ways(order, ways);
  std::vector<double> shares(ways);
  for (const std::size_t way : order) shares[way] += 1 / static_cast<double>(order.size());
  return shares;
}

std::vector<bool> way_order_hits(std::span<const std::int64_t> lines, std::size_t ways,
                                 std::span<const std::size_t> order) {
  require_ways(order, ways);
  std::vector<std::int64_t> held;
  std::size_t victims = 0;
  std::vector<bool> hits;
  for (const std::int64_t line : lines) {
    hits.push_back(std::ranges::find(held, line) != held.end());
    if (hits.back()) continue;
    if (held.size() < ways) {
      held.push_back(line);
    } else {
      held[order[victims++ % order.size()]] = line;
    }
  }
  return hits;
}

}  // namespace tomograph::analysis
