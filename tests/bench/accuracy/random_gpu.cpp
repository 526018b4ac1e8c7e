#include "random_gpu.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>
#include <sstream>

namespace tomograph::bench {

namespace {

using sim::Cache;
using sim::Gpu;
using Policy = sim::Replacement::Policy;

/// Bits above are the same within a page of 2 MiB, so that no index that uses them can be seen.
constexpr int highest_bit = 20;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [low, high]. Written out, since the standard's distributions differ between libraries.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  std::int64_t power_of_two(std::int64_t low, std::int64_t high) {
    return std::int64_t{1} << between(exponent(low), exponent(high));
  }
  double real(double low, double high) { return low + (high - low) * static_cast<double>(engine_() >> 11U) * 0x1p-53; }
  bool one_in(std::int64_t count) { return between(1, count) == 1; }

  static int exponent(std::int64_t power) { return std::countr_zero(static_cast<std::uint64_t>(power)); }

 private:
  std::mt19937_64 engine_;
};

std::vector<std::int64_t> draw_ways(Draw& draw, std::int64_t sets, Policy policy) {
  constexpr std::int64_t fewest = 2;
  constexpr std::int64_t most = 24;
  std::vector<std::int64_t> set_ways(static_cast<std::size_t>(sets), draw.between(fewest, most));
  if (sets > 1 && policy != Policy::way_weighted && draw.one_in(3)) {
    const std::int64_t spread = draw.between(1, 3);
    for (std::int64_t& ways : set_ways) ways = std::clamp(ways + draw.between(-spread, spread), fewest, most);
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
  if (!hashed && draw.one_in(3)) {
    for (std::size_t i = bits.size(); i > 1; --i) {
      std::swap(bits[i - 1], bits[static_cast<std::size_t>(draw.between(0, static_cast<std::int64_t>(i) - 1))]);
    }
  }
  bits.resize(static_cast<std::size_t>(count));
  std::ranges::sort(bits);
  if (!hashed) return {.kind = sim::Index::Kind::bits, .bits = bits, .masks = {}};
  sim::Index index{.kind = sim::Index::Kind::hashed, .bits = {}, .masks = {}};
  for (const int own : bits) {
    std::uint64_t mask = std::uint64_t{1} << own;
    for (int other = first + count; other <= highest_bit; ++other) {
      if (draw.one_in(2)) mask |= std::uint64_t{1} << other;
    }
    index.masks.push_back(mask);
  }
  return index;
}

Cache draw_cache(Draw& draw, Level level) {
  const std::int64_t smallest = level == Level::l1 ? 2048 : 65536;
  const std::int64_t largest = level == Level::l1 ? 262144 : 1048576;
  constexpr std::array policies{Policy::lru, Policy::fifo, Policy::random, Policy::way_weighted};
  Cache cache;
  cache.replacement.policy = policies.at(static_cast<std::size_t>(draw.between(0, 3)));
  do {
    cache.line_size = draw.power_of_two(32, 256);
    cache.set_ways = draw_ways(draw, draw.power_of_two(1, 128), cache.replacement.policy);
  } while (cache.lines() * cache.line_size < smallest || cache.lines() * cache.line_size > largest);
  cache.sector_size = draw.power_of_two(32, cache.line_size);
  cache.fetch_granularity = cache.sector_size;
  if (level == Level::l2 && draw.one_in(2)) {
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

/// Two partitions: the home of a line depends on one bit that the index leaves free, and on others above it.
void split(Draw& draw, sim::L2& l2) {
  l2.partitions = 2;
  const int lowest = Draw::exponent(l2.cache.line_size) + Draw::exponent(std::ssize(l2.cache.set_ways));
  std::uint64_t mask = std::uint64_t{1} << draw.between(lowest, highest_bit);
  if (draw.one_in(2)) mask |= std::uint64_t{1} << draw.between(lowest, highest_bit);
  l2.home_masks = {mask};
}

Gpu frame(Draw& draw) {
  Gpu gpu;
  gpu.name = "random";
  gpu.sm_count = 4;
  gpu.l1.emplace();
  gpu.l1->paths = {chase::Path::global_ca, chase::Path::global_nc};
  gpu.l1->latency = draw.between(20, 60);
  gpu.l1->virtually_tagged = draw.one_in(2);
  gpu.l2.latency = draw.between(150, 300);
  gpu.l2.far_latency = gpu.l2.latency;
  gpu.dram.latency = draw.between(400, 800);
  // What an H200 shows.
  gpu.noise = {.l1_sigma = 0.4,
               .l2_sigma = 2,
               .dram_sigma = 15,
               .outlier_probability = 1e-4,
               .outlier_low = 200,
               .outlier_high = 2000};
  return gpu;
}

Gpu draw_gpu(Draw& draw, Level level) {
  Gpu gpu = frame(draw);
  if (level == Level::l1) {
    gpu.l1->cache = draw_cache(draw, level);
    gpu.l2.cache = plain_cache(256, 32, 256, 16);
  } else {
    gpu.l2.cache = draw_cache(draw, level);
    const std::int64_t sector = gpu.l2.cache.sector_size;
    gpu.l1->cache = plain_cache(std::max<std::int64_t>(128, sector), sector, 32, 4);
    if (draw.one_in(3)) {
      split(draw, gpu.l2);
      gpu.l2.far_latency = std::min(gpu.l2.latency + draw.between(40, 100), gpu.dram.latency - 100);
    }
  }
  gpu.dram.far_latency = gpu.dram.latency + gpu.l2.far_latency - gpu.l2.latency;
  gpu.api = {{"l2.nominal_size", gpu.l2.cache.lines() * gpu.l2.cache.line_size * gpu.l2.partitions}};
  return gpu;
}

}  // namespace

Case random_case(std::uint64_t number) {
  Draw draw(number);
  const Level level = number % 2 == 0 ? Level::l1 : Level::l2;
  Gpu gpu = draw_gpu(draw, level);
  while (sim::violation(gpu)) gpu = draw_gpu(draw, level);
  return {number, level, std::move(gpu)};
}

const char* name(Policy policy) {
  switch (policy) {
    case Policy::lru: return "lru";
    case Policy::fifo: return "fifo";
    case Policy::random: return "random";
    case Policy::way_weighted: return "way-weighted";
    case Policy::segmented_lru: return "segmented-lru";
  }
  return "";
}

std::string describe(const Case& drawn) {
  const Cache& cache = drawn.cache();
  const auto [fewest, most] = std::ranges::minmax(cache.set_ways);
  std::ostringstream text;
  text << "case " << drawn.number << " " << (drawn.level == Level::l1 ? "L1 " : "L2 ")
       << cache.lines() * cache.line_size << " B, line " << cache.line_size << ", sector " << cache.sector_size
       << ", fetch " << cache.fetch_granularity << ", " << cache.set_ways.size() << " sets of " << fewest;
  if (most != fewest) text << ".." << most;
  text << " ways, " << name(cache.replacement.policy);
  if (cache.index.kind == sim::Index::Kind::hashed) {
    text << ", masks" << std::hex;
    for (const std::uint64_t mask : cache.index.masks) text << " 0x" << mask;
    text << std::dec;
  } else {
    text << ", bits";
    for (const int bit : cache.index.bits) text << ' ' << bit;
  }
  if (drawn.level == Level::l2 && drawn.gpu.l2.partitions > 1) {
    text << ", 2 partitions by 0x" << std::hex << drawn.gpu.l2.home_masks.front() << std::dec;
  }
  return text.str();
}

}  // namespace tomograph::bench
