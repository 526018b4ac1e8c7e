// Published methods on texture caches as these methods assume them: LRU, equal sets selected by the bits above the
// line, misses that fetch whole lines.
#include <array>

#include "family.hpp"
#include "random_cache.hpp"

namespace tomograph::bench::classical_methods_family {

namespace {

constexpr std::array methods{"saavedra1992", "wong2010", "groessler2022", "mei2017"};

sim::Gpu draw_gpu(Draw& draw) {
  sim::Gpu gpu;
  gpu.name = "random";
  gpu.sm_count = 4;
  sim::PrivateCache cache;
  cache.name = "texture";
  cache.paths = {chase::Path::texture, chase::Path::texture_2d};
  cache.latency = draw.between(20, 100);
  const std::int64_t line = draw.power_of_two(32, 128);
  cache.cache = plain_cache(line, line, draw.power_of_two(2, 32), draw.between(2, 16));
  gpu.caches.push_back(std::move(cache));
  gpu.l2.cache = plain_cache(256, 32, 256, 16);
  gpu.l2.latency = gpu.l2.far_latency = draw.between(220, 300);
  gpu.dram.latency = gpu.dram.far_latency = draw.between(400, 800);
  gpu.noise = usual_noise();
  gpu.texture_memory.texel_order = "xyxyyx";
  return gpu;
}

std::vector<Expected> expected_of(const sim::Cache& cache, const std::string& method) {
  ExpectedFacts facts("texture.");
  const std::int64_t size = cache.lines() * cache.line_size;
  if (method == "groessler2022") {
    facts.within("size", static_cast<double>(size), 0.05 * static_cast<double>(size));
    return facts.take();
  }
  facts.exact("size", size);
  facts.exact("line_size", cache.line_size);
  facts.exact("sets", static_cast<std::int64_t>(cache.set_ways.size()));
  facts.exact("ways", cache.set_ways.front());
  if (method == "mei2017") facts.exact("replacement", "lru");
  return facts.take();
}

Case draw_case(std::uint64_t number) {
  Draw draw(number);
  const char* method = methods[number % methods.size()];
  sim::Gpu gpu = draw_gpu(draw);
  while (sim::violation(gpu)) gpu = draw_gpu(draw);
  const sim::Cache& cache = gpu.caches[0].cache;
  return {.number = number,
          .kind = method,
          .gpu = gpu,
          .geometry = describe(cache),
          .expected = expected_of(cache, method),
          .method = method};
}

}  // namespace

Family make() {
  return {.name = "classical_methods",
          .plugins = {"classical-methods", "texture-cache"},
          .smoke_cases = methods.size(),
          .draw = draw_case};
}

}  // namespace tomograph::bench::classical_methods_family
