// Caches of constant memory: a first level of random geometry, two times in three with a second one behind it, which
// one time in two is larger than what a program can load.
#include <algorithm>

#include "cache_truth.hpp"
#include "random_cache.hpp"
#include "tomograph/analysis/linear_index.hpp"

namespace tomograph::bench::family {

namespace {

/// A first level whose index takes no bits that constants cannot vary.
sim::Cache first_cache(Draw& draw) {
  constexpr std::uint64_t reach = 65536;
  for (;;) {
    sim::Cache cache = random_cache(draw, {.smallest = 1024, .largest = 8192});
    for (std::uint64_t& mask : cache.index.masks) mask &= reach - 1;
    const bool plain = std::ranges::all_of(cache.index.bits, [](int bit) { return (reach >> bit) > 1; });
    if (plain && analysis::independent(cache.index.masks)) return cache;
  }
}

/// A second level seen through the first: queues, which show what follows a line too many, and bits of the address.
sim::Cache second_cache(Draw& draw, const sim::Cache& first, bool visible) {
  const std::int64_t smallest = visible ? std::max<std::int64_t>(8192, 4 * first.lines() * first.line_size) : 131072;
  const std::int64_t largest = visible ? 40960 : 262144;
  sim::Cache cache;
  do {
    const std::int64_t line = std::max<std::int64_t>(first.line_size, draw.power_of_two(64, 256));
    const std::int64_t sets = draw.power_of_two(4, 128);
    cache = plain_cache(line, draw.power_of_two(first.fetch_granularity, line), sets, draw.between(2, 16));
  } while (cache.lines() * cache.line_size < smallest || cache.lines() * cache.line_size > largest);
  cache.replacement.policy = draw.one_in(2) ? sim::Replacement::Policy::lru : sim::Replacement::Policy::fifo;
  return cache;
}

sim::Gpu draw_gpu(Draw& draw, bool second, bool visible) {
  sim::Gpu gpu;
  gpu.name = "random";
  gpu.sm_count = 8;
  gpu.caches.emplace_back();
  gpu.caches[0].name = "constant_l1";
  gpu.caches[0].paths = {chase::Path::constant};
  gpu.caches[0].latency = draw.between(10, 50);
  gpu.caches[0].cache = first_cache(draw);
  if (second) {
    gpu.caches.emplace_back();
    gpu.caches[1].name = "constant_l15";
    gpu.caches[1].latency = gpu.caches[0].latency + draw.between(30, 80);
    gpu.caches[1].cache = second_cache(draw, gpu.caches[0].cache, visible);
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
  }
  for (Expected& one : facts.take()) expected.push_back(std::move(one));
}

Case draw(std::uint64_t number) {
  Draw draw(number);
  const bool second = number % 3 != 2;
  const bool visible = second && number % 2 == 0;
  sim::Gpu gpu = draw_gpu(draw, second, visible);
  while (sim::violation(gpu)) gpu = draw_gpu(draw, second, visible);
  const sim::Cache& first = gpu.caches[0].cache;
  ExpectedFacts facts("constant_l1.");
  expect_lines(facts, first);
  facts.exact("size", first.lines() * first.line_size);
  expect_organisation(facts, organisation(first));
  facts.within("latency", static_cast<double>(gpu.caches[0].latency), 1);
  auto expected = facts.take();
  std::string geometry = "L1 " + describe(first);
  if (second) {
    expect_second(expected, gpu.caches[1].cache, first.fetch_granularity, visible);
    geometry += "; L1.5 " + describe(gpu.caches[1].cache);
  }
  const std::string kind =
      second ? visible ? "constant, two levels" : "constant, large second level" : "constant, one level";
  return {number, kind, gpu, geometry, std::move(expected)};
}

}  // namespace

Family constant_caches() {
  return {.name = "constant_caches", .plugins = {"constant-cache"}, .smoke_cases = 6, .draw = &draw};
}

}  // namespace tomograph::bench::family
