// Random texture caches (even numbers) and read-only caches (odd numbers).
#include "cache_truth.hpp"
#include "random_cache.hpp"

namespace tomograph::bench::private_caches_family {

namespace {

sim::PrivateCache other_cache(Draw& draw, const char* name, std::vector<chase::Path> paths) {
  sim::PrivateCache cache;
  cache.name = name;
  cache.paths = std::move(paths);
  cache.latency = draw.between(20, 100);
  cache.virtually_tagged = draw.one_in(2);
  cache.cache = random_cache(draw, {.smallest = 2048, .largest = 262144});
  return cache;
}

sim::Gpu draw_gpu(Draw& draw, bool texture) {
  sim::Gpu gpu;
  gpu.name = "random";
  gpu.sm_count = 4;
  gpu.caches.emplace_back().name = "l1";
  gpu.caches[0].paths = {chase::Path::global_ca};
  gpu.caches[0].latency = draw.between(20, 60);
  gpu.caches[0].cache = plain_cache(128, 32, 32, 4);
  gpu.caches.push_back(texture ? other_cache(draw, "texture", {chase::Path::texture, chase::Path::texture_2d})
                               : other_cache(draw, "read_only", {chase::Path::global_nc}));
  gpu.l2.cache = plain_cache(256, 32, 256, 16);
  gpu.l2.latency = draw.between(180, 300);
  gpu.l2.far_latency = gpu.l2.latency;
  gpu.dram.latency = draw.between(400, 800);
  gpu.dram.far_latency = gpu.dram.latency;
  gpu.noise = usual_noise();
  gpu.texture_memory.texel_order = "xyxyyx";
  return gpu;
}

Case draw(std::uint64_t number) {
  Draw draw(number);
  const bool texture = number % 2 == 0;
  sim::Gpu gpu = draw_gpu(draw, texture);
  while (sim::violation(gpu)) gpu = draw_gpu(draw, texture);
  const sim::Cache& cache = gpu.caches[1].cache;
  ExpectedFacts facts(texture ? "texture." : "read_only.");
  expect_lines(facts, cache);
  facts.exact("size", cache.lines() * cache.line_size);
  expect_organisation(facts, organisation(cache));
  facts.exact("virtually_tagged", gpu.caches[1].virtually_tagged);
  if (texture) expect_blocks(facts, cache, gpu.texture_memory.texel_order);
  const char* name = texture ? "texture" : "read-only";
  return {number, std::string(name) + ", " + kind_of(cache), gpu, std::string(name) + " " + describe(cache),
          facts.take()};
}

}  // namespace

Family make() {
  return {.name = "private_caches", .plugins = {"texture-cache", "read-only-cache"}, .smoke_cases = 4, .draw = &draw};
}

}  // namespace tomograph::bench::private_caches_family
