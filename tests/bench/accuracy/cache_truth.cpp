#include "cache_truth.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <utility>

#include "random_cache.hpp"
#include "tomograph/analysis/linear_index.hpp"

namespace tomograph::bench {

namespace {

using Ways = std::vector<std::int64_t>;

bool is_plain(const Organisation& truth) {
  return std::ranges::all_of(analysis::basis(truth.masks), [](auto mask) { return std::has_single_bit(mask); });
}

bool has_equal_sets(const Organisation& truth) {
  return std::ranges::adjacent_find(truth.set_ways, std::not_equal_to<>{}) == truth.set_ways.end();
}

bool same_index(const Organisation& truth, const Json& index) {
  if (truth.modulus != 0) return index == Json{{"kind", "modulo"}, {"modulus", truth.modulus}};
  if (index.at("kind") == "modulo") return false;
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

/// A probe numbers lines from the start of its own memory, so any set may come first.
bool is_rotation(const Ways& ways, const Ways& expected) {
  if (ways.size() != expected.size()) return false;
  Ways twice = expected;
  twice.insert(twice.end(), expected.begin(), expected.end());
  return std::search(twice.begin(), twice.end(), ways.begin(), ways.end()) != twice.end();
}

bool same_ways(const Organisation& truth, const Json& published) {
  auto ways = published.get<Ways>();
  if (truth.modulus != 0) return is_rotation(ways, truth.set_ways);
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
  if (truth.modulus != 0) return {{"modulus", truth.modulus}};
  Json masks = Json::array();
  for (const std::uint64_t mask : analysis::basis(truth.masks)) masks.push_back(mask);
  return masks;
}

}  // namespace

std::vector<std::uint64_t> published_masks(const Json& index) {
  std::vector<std::uint64_t> masks;
  if (index.contains("bits")) {
    for (const Json& bit : index.at("bits")) masks.push_back(std::uint64_t{1} << bit.get<unsigned>());
  }
  if (index.contains("masks")) {
    for (const Json& mask : index.at("masks")) {
      masks.push_back(std::strtoull(mask.get<std::string>().c_str(), nullptr, 16));
    }
  }
  return masks;
}

Organisation organisation(const sim::Cache& cache) {
  if (cache.index.kind == sim::Index::Kind::dealt) return {};
  Organisation found{sim::index_masks(cache.index), 0, cache.set_ways, cache.replacement};
  if (cache.index.kind != sim::Index::Kind::modulo) return found;
  const auto sets = static_cast<std::uint64_t>(cache.set_ways.size());
  if (!std::has_single_bit(sets)) found.modulus = std::ssize(cache.set_ways);
  for (std::uint64_t bit = 1; found.modulus == 0 && bit < sets; bit *= 2) {
    found.masks.push_back(bit * static_cast<std::uint64_t>(cache.line_size));
  }
  return found;
}

Organisation organisation(const sim::L2& l2) {
  Organisation found = organisation(l2.cache);
  if (l2.replicate || l2.partitions == 1) return found;
  found.masks.insert(found.masks.end(), l2.home_masks.begin(), l2.home_masks.end());
  if (!std::has_single_bit(static_cast<std::uint64_t>(l2.partitions))) {
    // Homes alternate above the index bits, so set and home together are a remainder.
    for (std::size_t i = 0; i < found.masks.size(); ++i) {
      if (found.masks[i] != static_cast<std::uint64_t>(l2.cache.line_size) << i) return {};
    }
    found.masks.clear();
    found.modulus = std::ssize(l2.cache.set_ways) * l2.partitions;
  }
  for (std::int64_t i = 1; i < l2.partitions; ++i) {
    found.set_ways.insert(found.set_ways.end(), l2.cache.set_ways.begin(), l2.cache.set_ways.end());
  }
  return found;
}

void expect_lines(ExpectedFacts& facts, const sim::Cache& cache, std::int64_t largest_observable_sector) {
  facts.exact("fetch_granularity", cache.fetch_granularity);
  facts.exact("sector_size", cache.sector_size,
              cache.fetch_granularity == cache.sector_size && cache.fetch_granularity <= largest_observable_sector);
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

namespace {

/// Sides of the aligned block of texels that `bytes` of the layout are, as bytes of a row and rows.
std::pair<std::int64_t, std::int64_t> block_of(std::int64_t bytes, const std::string& order) {
  std::int64_t width = chase::node_bytes;
  std::int64_t height = 1;
  std::size_t bit = 0;
  for (std::int64_t size = chase::node_bytes; size < bytes; size *= 2) {
    (bit >= order.size() || order[bit] == 'x' ? width : height) *= 2;
    ++bit;
  }
  return {width, height};
}

Json others_on(const sim::PrivateCache& cache, const View& view) {
  Json names = Json::array();
  for (const View& other : views) {
    const bool served = std::ranges::find(cache.paths, other.path) != cache.paths.end();
    if (served && other.path != view.path) names.push_back(other.prefix);
  }
  return names;
}

bool same_names(const Json& expected, const Json& published) {
  auto a = expected.get<std::vector<std::string>>();
  auto b = published.get<std::vector<std::string>>();
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}

}  // namespace

void expect_blocks(ExpectedFacts& facts, const sim::Cache& texture, const std::string& texel_order) {
  const auto [width, height] = block_of(texture.fetch_granularity, texel_order);
  facts.exact("block_width", width);
  facts.exact("block_height", height);
  const auto [line_width, line_height] = block_of(texture.line_size, texel_order);
  facts.exact("line_block_width", line_width);
  facts.exact("line_block_height", line_height);
}

void expect_tlb(ExpectedFacts& facts, const sim::Cache& entries) {
  facts.exact("entries", entries.lines());
  facts.exact("entry_span", entries.line_size);
  facts.exact("page_size", entries.sector_size);
  facts.exact("reach", entries.lines() * entries.line_size);
  auto ways = entries.set_ways;
  std::ranges::sort(ways, std::greater<>());
  facts.exact("set_ways", ways);
  facts.exact("replacement", name(entries.replacement.policy));
}

void expect_groups(ExpectedFacts& facts, const sim::SmGroups& shared_by, std::int64_t sm_count) {
  sim::SmGroups groups = shared_by;
  for (std::int64_t sm = 0; shared_by.empty() && sm < sm_count; ++sm) groups.push_back({sm});
  facts.exact("sm_groups", groups);
  const bool equal = std::ranges::all_of(groups, [&](const auto& one) { return one.size() == groups[0].size(); });
  facts.judged("sms_per_instance", groups[0].size(), equal,
               [=](const Json& published) { return equal && published == Json(groups[0].size()); });
}

void expect_sharing(ExpectedFacts& facts, const sim::Gpu& gpu) {
  const auto known = std::ranges::count_if(views, [&](const View& view) { return gpu.serving(view.path) != nullptr; });
  for (const View& view : views) {
    const sim::PrivateCache* cache = gpu.serving(view.path);
    if (cache == nullptr) continue;
    const std::string prefix = view.prefix;
    const Json others = others_on(*cache, view);
    facts.judged(prefix + ".shared_with", others, known > 1,
                 [others](const Json& published) { return same_names(others, published); });
    facts.exact(prefix + ".per_sm", cache->per_sm);
  }
}

}  // namespace tomograph::bench
