// L1 and L2 data caches: even numbers vary L1, with a plain L2 of 1 MiB; odd ones vary L2, with a plain L1.
#include <algorithm>
#include <sstream>

#include "cache_truth.hpp"
#include "random_cache.hpp"

namespace tomograph::bench::data_cache_family {

namespace {

enum class Level { l1, l2 };

/// Two partitions: the home of a line depends on one bit that the index does not use, and on bits above it.
void split(Draw& draw, sim::L2& l2) {
  l2.partitions = 2;
  const int lowest = Draw::exponent(l2.cache.line_size) + Draw::exponent(std::ssize(l2.cache.set_ways));
  std::uint64_t mask = std::uint64_t{1} << draw.between(lowest, highest_bit);
  if (draw.one_in(2)) mask |= std::uint64_t{1} << draw.between(lowest, highest_bit);
  l2.home_masks = {mask};
}

sim::Gpu frame(Draw& draw) {
  sim::Gpu gpu;
  gpu.name = "random";
  gpu.sm_count = 4;
  gpu.caches.emplace_back().name = "l1";
  gpu.caches[0].paths = {chase::Path::global_ca, chase::Path::global_nc};
  gpu.caches[0].latency = draw.between(20, 60);
  gpu.caches[0].virtually_tagged = draw.one_in(2);
  gpu.l2.latency = draw.between(150, 300);
  gpu.l2.far_latency = gpu.l2.latency;
  gpu.dram.latency = draw.between(400, 800);
  gpu.noise = usual_noise();
  return gpu;
}

sim::Gpu draw_gpu(Draw& draw, Level level) {
  sim::Gpu gpu = frame(draw);
  if (level == Level::l1) {
    gpu.caches[0].cache = random_cache(draw, {.smallest = 2048, .largest = 262144});
    gpu.l2.cache = plain_cache(256, 32, 256, 16);
  } else {
    gpu.l2.cache = random_cache(draw, {.smallest = 65536, .largest = 1048576, .wide_fetch = true});
    const std::int64_t sector = gpu.l2.cache.sector_size;
    gpu.caches[0].cache = plain_cache(std::max<std::int64_t>(128, sector), sector, 32, 4);
    if (draw.one_in(3)) {
      split(draw, gpu.l2);
      gpu.l2.far_latency = std::min(gpu.l2.latency + draw.between(40, 100), gpu.dram.latency - 100);
    }
  }
  gpu.dram.far_latency = gpu.dram.latency + gpu.l2.far_latency - gpu.l2.latency;
  gpu.api = {{"l2.nominal_size", gpu.l2.cache.lines() * gpu.l2.cache.line_size * gpu.l2.partitions}};
  return gpu;
}

std::string geometry(const sim::Gpu& gpu, Level level) {
  std::ostringstream text;
  text << (level == Level::l1 ? "L1 " : "L2 ") << describe(level == Level::l1 ? gpu.caches[0].cache : gpu.l2.cache);
  if (level == Level::l2 && gpu.l2.partitions > 1) {
    text << ", 2 partitions by 0x" << std::hex << gpu.l2.home_masks.front();
  }
  return text.str();
}

std::vector<Expected> expected_of_l1(const sim::PrivateCache& l1) {
  ExpectedFacts facts("l1_data.");
  facts.exact("caches_global_loads", true);
  expect_lines(facts, l1.cache);
  facts.exact("size", l1.cache.lines() * l1.cache.line_size);
  expect_organisation(facts, organisation(l1.cache));
  facts.exact("virtually_tagged", l1.virtually_tagged);
  return facts.take();
}

std::vector<Expected> expected_of_l2(const sim::L2& l2) {
  ExpectedFacts facts("l2.");
  expect_lines(facts, l2.cache);
  facts.exact("size", l2.cache.lines() * l2.cache.line_size * l2.partitions);
  expect_organisation(facts, organisation(l2));
  facts.exact("partition.count", l2.partitions);
  return facts.take();
}

Case draw_case(std::uint64_t number) {
  Draw draw(number);
  const Level level = number % 2 == 0 ? Level::l1 : Level::l2;
  sim::Gpu gpu = draw_gpu(draw, level);
  while (sim::violation(gpu)) gpu = draw_gpu(draw, level);
  const bool is_l1 = level == Level::l1;
  const std::string cache = is_l1 ? "L1 " : gpu.l2.partitions > 1 ? "L2x2 " : "L2 ";
  return {.number = number,
          .kind = cache + kind_of(is_l1 ? gpu.caches[0].cache : gpu.l2.cache),
          .gpu = gpu,
          .geometry = geometry(gpu, level),
          .expected = is_l1 ? expected_of_l1(gpu.caches[0]) : expected_of_l2(gpu.l2)};
}

}  // namespace

Family make() { return {.name = "data_cache", .plugins = {"data-cache"}, .smoke_cases = 6, .draw = draw_case}; }

}  // namespace tomograph::bench::data_cache_family
