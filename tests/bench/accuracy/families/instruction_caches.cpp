// One to three levels of caches of instructions before the L2.
#include <array>
#include <sstream>

#include "family.hpp"
#include "random_cache.hpp"

namespace tomograph::bench::instruction_caches_family {

namespace {

constexpr std::int64_t code_bytes = std::int64_t{256} << 10;
/// Walks visit a block of 128 B in each 1 KiB.
constexpr std::int64_t walked = 1024;
/// In walks of up to 256 KiB, the L2's latency must be seen for some footprints.
constexpr std::int64_t largest = std::int64_t{160} << 10;
constexpr std::array names{"instruction_l0", "instruction_l1", "instruction_l15"};

sim::Cache draw_cache(Draw& draw, std::int64_t smallest, std::int64_t most) {
  sim::Cache cache;
  do {
    const std::int64_t line = draw.power_of_two(128, 512);
    // Fewer sets look larger, since a walk then fills no more of them.
    cache = plain_cache(line, line, draw.power_of_two(walked / line, 64), draw.between(2, 16));
  } while (cache.lines() * cache.line_size < smallest || cache.lines() * cache.line_size > most);
  cache.replacement.policy = draw.one_in(2) ? sim::Replacement::Policy::lru : sim::Replacement::Policy::fifo;
  return cache;
}

/// A name that no path but that of instructions uses.
std::string name_of(std::int64_t level) { return "instruction_level" + std::to_string(level); }

sim::Gpu draw_gpu(Draw& draw, std::int64_t levels) {
  sim::Gpu gpu;
  gpu.name = "random";
  gpu.sm_count = 4;
  std::int64_t latency = draw.between(20, 60);
  std::int64_t smallest = 4096;
  for (std::int64_t level = 0; level < levels; ++level) {
    sim::PrivateCache made;
    made.name = name_of(level);
    if (level == 0) made.paths = {chase::Path::instruction};
    if (level + 1 < levels) made.next = name_of(level + 1);
    made.latency = latency;
    made.cache = draw_cache(draw, smallest, largest >> (2 * (levels - 1 - level)));
    smallest = 2 * made.cache.lines() * made.cache.line_size;
    latency += draw.between(30, 60);
    gpu.caches.push_back(std::move(made));
  }
  gpu.l2.cache = plain_cache(256, 32, 256, 16);
  gpu.l2.latency = gpu.l2.far_latency = latency + draw.between(0, 100);
  gpu.dram.latency = gpu.dram.far_latency = gpu.l2.latency + draw.between(200, 500);
  gpu.noise = usual_noise();
  return gpu;
}

/// Whether there is room for four times what is fetched again, and for other code to fill the level.
bool line_is_observable(std::int64_t size) { return size / walked / 4 >= 4 && code_bytes - size / 4 >= size * 3 / 2; }

std::vector<Expected> expected_of(const sim::Gpu& gpu) {
  ExpectedFacts facts("");
  // The last two levels have the names of an L1 and an L1.5; a single one is an L1.
  const std::size_t first = gpu.caches.size() == names.size() ? 0 : 1;
  for (std::size_t i = 0; i < gpu.caches.size(); ++i) {
    const sim::PrivateCache& level = gpu.caches[i];
    const std::string name = names[first + i];
    const std::int64_t size = level.cache.lines() * level.cache.line_size;
    const std::int64_t behind = i + 1 < gpu.caches.size() ? gpu.caches[i + 1].latency : gpu.l2.latency;
    const auto penalty = static_cast<double>(behind - level.latency);
    facts.within(name + ".size", static_cast<double>(size), 0.03 * static_cast<double>(size) + walked);
    facts.within(name + ".miss_penalty", penalty, 1 + 0.02 * penalty);
    if (first + i > 0) facts.exact(name + ".line_size", level.cache.line_size, line_is_observable(size));
  }
  return facts.take();
}

Case draw_case(std::uint64_t number) {
  Draw draw(number);
  const auto levels = static_cast<std::int64_t>(1 + number % names.size());
  sim::Gpu gpu = draw_gpu(draw, levels);
  while (sim::violation(gpu)) gpu = draw_gpu(draw, levels);
  std::ostringstream geometry;
  for (const sim::PrivateCache& level : gpu.caches) geometry << describe(level.cache) << "; ";
  return {.number = number,
          .kind = std::to_string(levels) + " levels of instruction caches",
          .gpu = gpu,
          .geometry = geometry.str(),
          .expected = expected_of(gpu),
          .given = {{"l2.latency", {{"value", static_cast<double>(gpu.l2.latency)}}}}};
}

}  // namespace

Family make() {
  return {.name = "instruction_caches", .plugins = {"instruction-cache"}, .smoke_cases = 3, .draw = draw_case};
}

}  // namespace tomograph::bench::instruction_caches_family
