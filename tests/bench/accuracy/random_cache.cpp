#include "random_cache.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <sstream>
#include <vector>

namespace tomograph::bench {

namespace {

using sim::Cache;
using Policy = sim::Replacement::Policy;

std::vector<std::int64_t> draw_ways(Draw& draw, std::int64_t sets, Policy policy) {
  constexpr std::int64_t fewest = 2;
  constexpr std::int64_t most = 24;
  std::vector<std::int64_t> set_ways(static_cast<std::size_t>(sets), draw.between(fewest, most));
  if (sets > 1 && policy != Policy::way_weighted && draw.one_in(3)) {
    const std::int64_t spread = draw.between(1, 3);
    for (std::int64_t& ways : set_ways) ways = std::clamp(ways + draw.between(-spread, spread), fewest, most);
  } else if (sets > 1 && set_ways.front() > fewest && policy != Policy::way_weighted && draw.one_in(4)) {
    --set_ways[static_cast<std::size_t>(draw.between(0, sets - 1))];
  }
  return set_ways;
}

std::vector<double> draw_weights(Draw& draw, std::int64_t ways) {
  std::vector<double> weights(static_cast<std::size_t>(ways));
  do {
    for (double& weight : weights) weight = draw.real(1, 3);
  } while (std::ranges::max(weights) < 1.5 * std::ranges::min(weights));
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

sim::Index draw_index(Draw& draw, std::int64_t line_size, std::int64_t sets) {
  const int first = Draw::exponent(line_size);
  const int count = Draw::exponent(sets);
  std::vector<int> bits(static_cast<std::size_t>(highest_bit - first + 1));
  std::iota(bits.begin(), bits.end(), first);
  const bool hashed = draw.one_in(2);
  if (!hashed && draw.one_in(3)) draw.shuffle(bits);
  bits.resize(static_cast<std::size_t>(count));
  std::ranges::sort(bits);
  if (!hashed) return {.kind = sim::Index::Kind::bits, .bits = bits, .masks = {}};
  return draw_hash(draw, line_size, sets, highest_bit);
}

}  // namespace

sim::Index draw_hash(Draw& draw, std::int64_t line_size, std::int64_t sets, int highest) {
  sim::Index index{.kind = sim::Index::Kind::hashed, .bits = {}, .masks = {}};
  const int first = Draw::exponent(line_size);
  const int count = Draw::exponent(sets);
  for (int own = first; own < first + count; ++own) {
    std::uint64_t mask = std::uint64_t{1} << own;
    for (int other = first + count; other <= highest; ++other) {
      if (draw.one_in(2)) mask |= std::uint64_t{1} << other;
    }
    index.masks.push_back(mask);
  }
  return index;
}

Cache random_cache(Draw& draw, const CacheRange& range) {
  constexpr std::array policies{Policy::lru, Policy::fifo, Policy::random, Policy::way_weighted};
  Cache cache;
  cache.replacement.policy = policies.at(static_cast<std::size_t>(draw.between(0, 3)));
  do {
    cache.line_size = draw.power_of_two(32, 256);
    cache.set_ways = draw_ways(draw, draw.power_of_two(1, 128), cache.replacement.policy);
  } while (cache.lines() * cache.line_size < range.smallest || cache.lines() * cache.line_size > range.largest);
  cache.sector_size = draw.power_of_two(32, cache.line_size);
  cache.fetch_granularity = cache.sector_size;
  if (range.wide_fetch && draw.one_in(2)) {
    cache.fetch_granularity = std::min(2 * cache.sector_size, cache.line_size);
  }
  cache.index = draw_index(draw, cache.line_size, static_cast<std::int64_t>(cache.set_ways.size()));
  if (cache.replacement.policy == Policy::way_weighted) {
    cache.replacement.way_probability = draw_weights(draw, cache.set_ways.front());
  }
  return cache;
}

Cache plain_cache(std::int64_t line_size, std::int64_t sector_size, std::int64_t sets, std::int64_t ways) {
  Cache cache;
  cache.line_size = line_size;
  cache.sector_size = sector_size;
  cache.fetch_granularity = sector_size;
  cache.set_ways.assign(static_cast<std::size_t>(sets), ways);
  cache.index.kind = sim::Index::Kind::bits;
  for (int i = 0; i < Draw::exponent(sets); ++i) cache.index.bits.push_back(Draw::exponent(line_size) + i);
  return cache;
}

sim::Noise usual_noise() {
  return {.l1_sigma = 0.4,
          .l2_sigma = 2,
          .dram_sigma = 15,
          .outlier_probability = 1e-4,
          .outlier_low = 200,
          .outlier_high = 2000};
}

const char* name(Policy policy) {
  switch (policy) {
    case Policy::lru: return "lru";
    case Policy::fifo: return "fifo";
    case Policy::random: return "random";
    case Policy::way_weighted: return "way-weighted";
    case Policy::way_order: return "way-order";
    case Policy::segmented_lru: return "segmented-lru";
    case Policy::tree_plru: return "tree-plru";
    case Policy::not_recently_used: return "not-recently-used";
  }
  return "";
}

std::string kind_of(const Cache& cache) {
  const bool unequal = std::ranges::adjacent_find(cache.set_ways, std::not_equal_to<>{}) != cache.set_ways.end();
  const bool hashed = cache.index.kind == sim::Index::Kind::hashed;
  return std::string(name(cache.replacement.policy)) + (hashed ? ", hashed" : ", bits") + (unequal ? ", unequal" : "");
}

std::string describe(const Cache& cache) {
  const auto [fewest, most] = std::ranges::minmax(cache.set_ways);
  std::ostringstream text;
  text << cache.lines() * cache.line_size << " B, line " << cache.line_size << ", sector " << cache.sector_size
       << ", fetch " << cache.fetch_granularity << ", " << cache.set_ways.size() << " sets of " << fewest;
  if (most != fewest) text << ".." << most;
  text << " ways, " << name(cache.replacement.policy);
  if (cache.index.kind == sim::Index::Kind::hashed) {
    text << ", masks" << std::hex;
    for (const std::uint64_t mask : cache.index.masks) text << " 0x" << mask;
  } else {
    text << ", bits";
    for (const int bit : cache.index.bits) text << ' ' << bit;
  }
  return text.str();
}

}  // namespace tomograph::bench
