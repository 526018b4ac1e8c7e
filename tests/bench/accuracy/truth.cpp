#include "truth.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "tomograph/analysis/linear_index.hpp"

namespace tomograph::bench {

namespace {

using Ways = std::vector<std::int64_t>;
using Masks = std::vector<std::uint64_t>;

/// The sets that one SM fills. Partitions without copies are sets of one cache to it, whose index holds the home, too.
struct Organisation {
  Masks masks;  ///< bit i of a set's number is the parity of address & masks[i]
  Ways set_ways;

  [[nodiscard]] bool plain() const {
    return std::ranges::all_of(analysis::basis(masks), [](std::uint64_t mask) { return std::has_single_bit(mask); });
  }
  [[nodiscard]] bool equal() const {
    return std::ranges::adjacent_find(set_ways, std::not_equal_to<>{}) == set_ways.end();
  }
};

Organisation organisation(const Case& drawn) {
  const sim::Cache& cache = drawn.cache();
  Organisation found{cache.index.masks, {}};
  for (const int bit : cache.index.bits) found.masks.push_back(std::uint64_t{1} << bit);
  std::int64_t partitions = 1;
  if (drawn.level == Level::l2 && !drawn.gpu.l2.replicate) {
    partitions = drawn.gpu.l2.partitions;
    found.masks.insert(found.masks.end(), drawn.gpu.l2.home_masks.begin(), drawn.gpu.l2.home_masks.end());
  }
  for (std::int64_t i = 0; i < partitions; ++i) {
    found.set_ways.insert(found.set_ways.end(), cache.set_ways.begin(), cache.set_ways.end());
  }
  return found;
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
  if (index.at("kind") != (truth.plain() ? "bits" : "hashed")) return false;
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
  const bool ordered = truth.plain() && std::ranges::all_of(truth.masks, [](auto m) { return std::has_single_bit(m); });
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

class List {
 public:
  explicit List(std::string prefix) : prefix_(std::move(prefix)) {}

  void exact(const char* name, Json value, bool observable = true) {
    add(name, value, observable, [value](const Json& published) { return published == value; });
  }
  void add(const char* name, Json value, bool observable, std::function<bool(const Json&)> is_right) {
    facts_.push_back({prefix_ + name, observable, std::move(value), std::move(is_right)});
  }
  [[nodiscard]] std::vector<Expected> take() { return std::move(facts_); }

 private:
  std::string prefix_;
  std::vector<Expected> facts_;
};

void add_organisation(List& facts, const Case& drawn) {
  const Organisation truth = organisation(drawn);
  const auto& replacement = drawn.cache().replacement;
  facts.exact("sets", truth.set_ways.size());
  facts.add("ways", truth.set_ways.front(), truth.equal(),
            [truth](const Json& published) { return truth.equal() && published == Json(truth.set_ways.front()); });
  facts.add("set_ways", truth.set_ways, true, [truth](const Json& published) { return same_ways(truth, published); });
  facts.add("index", readable(truth), true, [truth](const Json& published) { return same_index(truth, published); });
  facts.exact("replacement", name(replacement.policy));
  const auto& expected = replacement.way_probability;
  facts.add("way_probability", expected, !expected.empty(),
            [expected](const Json& published) { return same_probabilities(expected, published); });
}

}  // namespace

std::vector<Expected> expected_facts(const Case& drawn) {
  const sim::Cache& cache = drawn.cache();
  const bool is_l1 = drawn.level == Level::l1;
  List facts(is_l1 ? "l1_data." : "l2.");
  if (is_l1) facts.exact("caches_global_loads", true);
  facts.exact("fetch_granularity", cache.fetch_granularity);
  facts.exact("sector_size", cache.sector_size, cache.fetch_granularity == cache.sector_size);
  facts.exact("line_size", cache.line_size);
  facts.exact("size", cache.lines() * cache.line_size * (is_l1 ? 1 : drawn.gpu.l2.partitions));
  add_organisation(facts, drawn);
  if (is_l1) {
    facts.exact("virtually_tagged", drawn.gpu.l1->virtually_tagged);
  } else {
    facts.exact("partition.count", drawn.gpu.l2.partitions);
  }
  return facts.take();
}

}  // namespace tomograph::bench
