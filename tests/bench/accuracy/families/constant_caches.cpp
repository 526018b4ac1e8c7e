// Constant caches: a first level of random geometry, and in two cases of three a second level: small, larger than any
// array, or larger than all arrays together. As on CUDA, some GPUs give a program several arrays.
#include <algorithm>
#include <array>

#include "cache_truth.hpp"
#include "random_cache.hpp"
#include "tomograph/analysis/linear_index.hpp"

namespace tomograph::bench::constant_caches_family {

namespace {

/// A first level whose index uses only address bits that vary within constant memory.
sim::Cache first_cache(Draw& draw) {
  constexpr std::uint64_t reach = 65536;  // an array has 256 B less
  for (;;) {
    sim::Cache cache = random_cache(draw, {.smallest = 1024, .largest = 8192});
    for (std::uint64_t& mask : cache.index.masks) mask &= reach - 1;
    const bool plain = std::ranges::all_of(cache.index.bits, [](int bit) { return (reach >> bit) > 1; });
    if (plain && analysis::independent(cache.index.masks)) return cache;
  }
}

/// Size of the second level relative to what a program can load.
enum class Second { none, small, large, beyond };

constexpr std::int64_t array_bytes = 65280;

sim::ConstantMemory constants_of(Draw& draw, Second second) {
  const std::int64_t arrays = second == Second::large ? draw.between(3, 5) : draw.between(1, 2);
  return {.size = arrays * array_bytes, .array = array_bytes};
}

/// A second level that can be observed through the first: FIFO or LRU replacement, and an index of address bits.
sim::Cache second_cache(Draw& draw, const sim::Gpu& gpu, Second second) {
  const sim::Cache& first = gpu.caches[0].cache;
  const std::int64_t reach = gpu.constant_memory.size;
  std::int64_t smallest = std::max<std::int64_t>(8192, 4 * first.lines() * first.line_size);
  std::int64_t largest = 40960;
  if (second == Second::large) {
    smallest = array_bytes;
    largest = reach * 10 / 13;
  } else if (second == Second::beyond) {
    smallest = reach;
    largest = 4 * reach;
  }
  sim::Cache cache;
  do {
    const std::int64_t line = std::max<std::int64_t>(first.line_size, draw.power_of_two(64, 256));
    const std::int64_t sets = draw.power_of_two(4, 128);
    cache = plain_cache(line, draw.power_of_two(first.fetch_granularity, line), sets, draw.between(2, 16));
  } while (cache.lines() * cache.line_size < smallest || cache.lines() * cache.line_size > largest);
  cache.replacement.policy = draw.one_in(2) ? sim::Replacement::Policy::lru : sim::Replacement::Policy::fifo;
  return cache;
}

sim::Gpu draw_gpu(Draw& draw, Second second) {
  sim::Gpu gpu;
  gpu.name = "random";
  gpu.sm_count = 8;
  gpu.constant_memory = constants_of(draw, second);
  gpu.caches.emplace_back();
  gpu.caches[0].name = "constant_l1";
  gpu.caches[0].paths = {chase::Path::constant};
  gpu.caches[0].latency = draw.between(10, 50);
  gpu.caches[0].cache = first_cache(draw);
  if (second != Second::none) {
    gpu.caches.emplace_back();
    gpu.caches[1].name = "constant_l15";
    gpu.caches[1].latency = gpu.caches[0].latency + draw.between(30, 80);
    gpu.caches[1].cache = second_cache(draw, gpu, second);
    gpu.caches[0].next = "constant_l15";
  }
  gpu.l2.cache = plain_cache(256, 32, 256, 16);
  gpu.l2.latency = draw.between(180, 300);
  gpu.l2.far_latency = gpu.l2.latency;
  gpu.dram.latency = draw.between(400, 800);
  gpu.dram.far_latency = gpu.dram.latency;
  gpu.noise = usual_noise();
  return gpu;
}

void expect_second(std::vector<Expected>& expected, const sim::Cache& cache, std::int64_t first_fetch, bool visible) {
  ExpectedFacts facts("constant_l15.");
  facts.exact("fetch_granularity", cache.fetch_granularity);
  facts.exact("sector_size", cache.sector_size, cache.fetch_granularity == first_fetch);
  facts.exact("line_size", cache.line_size, visible);
  const std::int64_t size = cache.lines() * cache.line_size;
  facts.exact("size", size, visible);
  facts.judged("size_at_least", size, !visible,
               [size](const Json& bound) { return bound.get<std::int64_t>() <= size; });
  if (visible) {
    const Organisation truth = organisation(cache);
    facts.exact("sets", truth.set_ways.size());
    facts.exact("ways", truth.set_ways.front());
    facts.judged("index", "bits", true, [](const Json& index) { return index.at("kind") == "bits"; });
  }
  for (Expected& one : facts.take()) expected.push_back(std::move(one));
}

Case draw(std::uint64_t number) {
  Draw draw(number);
  constexpr std::array kinds{std::pair{Second::none, "constant, one level"},
                             std::pair{Second::small, "constant, two levels"},
                             std::pair{Second::large, "constant, second level larger than an array"},
                             std::pair{Second::beyond, "constant, second level out of reach"}};
  const auto [second, kind] = kinds[number % kinds.size()];
  sim::Gpu gpu = draw_gpu(draw, second);
  while (sim::violation(gpu)) gpu = draw_gpu(draw, second);
  const sim::Cache& first = gpu.caches[0].cache;
  ExpectedFacts facts("constant_l1.");
  expect_lines(facts, first, first.line_size);
  facts.exact("size", first.lines() * first.line_size);
  expect_organisation(facts, organisation(first));
  facts.within("latency", static_cast<double>(gpu.caches[0].latency), 1);
  auto expected = facts.take();
  std::string geometry = "L1 " + describe(first);
  if (second != Second::none) {
    expect_second(expected, gpu.caches[1].cache, first.fetch_granularity, second != Second::beyond);
    geometry += "; L1.5 " + describe(gpu.caches[1].cache);
  }
  return {number, kind, gpu, geometry, std::move(expected)};
}

}  // namespace

Family make() { return {.name = "constant_caches", .plugins = {"constant-cache"}, .smoke_cases = 8, .draw = &draw}; }

}  // namespace tomograph::bench::constant_caches_family
