#include "cache_truth.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "random_cache.hpp"
#include "tomograph/analysis/linear_index.hpp"

namespace tomograph::bench {

namespace {

using Ways = std::vector<std::int64_t>;
using Masks = std::vector<std::uint64_t>;

bool is_plain(const Organisation& truth) {
  return std::ranges::all_of(analysis::basis(truth.masks), [](auto mask) { return std::has_single_bit(mask); });
}

bool has_equal_sets(const Organisation& truth) {
  return std::ranges::adjacent_find(truth.set_ways, std::not_equal_to<>{}) == truth.set_ways.end();
}

Masks published_masks(const Json& index) {
  Masks masks;
  if (index.at("kind") == "bits") {
    for (const Json& bit : index.at("bits")) masks.push_back(std::uint64_t{1} << bit.get<unsigned>());
  } else {
    for (const Json& mask : index.at("masks")) {
      masks.push_back(std::strtoull(mask.get<std::string>().c_str(), nullptr, 16));
    }
  }
  return masks;
}

bool same_index(const Organisation& truth, const Json& index) {
  if (index.at("kind") != (is_plain(truth) ? "bits" : "hashed")) return false;
  return analysis::basis(published_masks(index)) == analysis::basis(truth.masks);
}

/// The ways of sets numbered by plain bits in ascending order.
Ways by_ascending_bits(const Organisation& truth) {
  std::vector<std::size_t> order(truth.masks.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) { return truth.masks[i]; });
  Ways sorted;
  for (std::size_t number = 0; number < truth.set_ways.size(); ++number) {
    std::size_t set = 0;
    for (std::size_t bit = 0; bit < order.size(); ++bit) set |= (number >> bit & 1U) << order[bit];
    sorted.push_back(truth.set_ways[set]);
  }
  return sorted;
}

bool same_ways(const Organisation& truth, const Json& published) {
  auto ways = published.get<Ways>();
  const bool ordered =
      is_plain(truth) && std::ranges::all_of(truth.masks, [](auto m) { return std::has_single_bit(m); });
  if (ordered) return ways == by_ascending_bits(truth);
  Ways expected = truth.set_ways;
  std::ranges::sort(expected);
  std::ranges::sort(ways);
  return ways == expected;
}

bool same_probabilities(std::vector<double> expected, const Json& published) {
  constexpr double tolerance = 0.03;
  auto seen = published.get<std::vector<double>>();
  std::ranges::sort(expected);
  std::ranges::sort(seen);
  return std::ranges::equal(expected, seen, [](double a, double b) { return std::abs(a - b) <= tolerance; });
}

Json readable(const Organisation& truth) {
  Json masks = Json::array();
  for (const std::uint64_t mask : analysis::basis(truth.masks)) masks.push_back(mask);
  return masks;
}

}  // namespace

Organisation organisation(const sim::Cache& cache) {
  Organisation found{cache.index.masks, cache.set_ways, cache.replacement};
  for (const int bit : cache.index.bits) found.masks.push_back(std::uint64_t{1} << bit);
  return found;
}

void expect_lines(ExpectedFacts& facts, const sim::Cache& cache) {
  facts.exact("fetch_granularity", cache.fetch_granularity);
  facts.exact("sector_size", cache.sector_size, cache.fetch_granularity == cache.sector_size);
  facts.exact("line_size", cache.line_size);
}

void expect_organisation(ExpectedFacts& facts, const Organisation& truth) {
  facts.exact("sets", truth.set_ways.size());
  const bool equal = has_equal_sets(truth);
  facts.judged("ways", truth.set_ways.front(), equal, [equal, ways = truth.set_ways.front()](const Json& published) {
    return equal && published == Json(ways);
  });
  facts.judged("set_ways", truth.set_ways, true,
               [truth](const Json& published) { return same_ways(truth, published); });
  facts.judged("index", readable(truth), true, [truth](const Json& published) { return same_index(truth, published); });
  facts.exact("replacement", name(truth.replacement.policy));
  const auto& expected = truth.replacement.way_probability;
  facts.judged("way_probability", expected, !expected.empty(),
               [expected](const Json& published) { return same_probabilities(expected, published); });
}

}  // namespace tomograph::bench
