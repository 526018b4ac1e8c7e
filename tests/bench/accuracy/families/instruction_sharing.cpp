// Instruction caches: separate ones, ones shared with constants from the first or second level on, or none.
#include <algorithm>
#include <array>
#include <utility>

#include "family.hpp"
#include "random_cache.hpp"
#include "tomograph/analysis/linear_index.hpp"

namespace tomograph::bench::instruction_sharing_family {

namespace {

/// The caches of instructions.
enum class Way { nowhere, own_caches, own_levels, second_level, first_level };

constexpr std::array ways{std::pair{Way::nowhere, "not timed"}, std::pair{Way::own_caches, "own cache, then L2"},
                          std::pair{Way::own_levels, "two caches of their own"},
                          std::pair{Way::second_level, "own cache, then constant L1.5"},
                          std::pair{Way::first_level, "constant L1"}};

constexpr std::int64_t array_bytes = 65280;

/// A first level whose index uses only address bits that vary within constant memory.
sim::Cache first_cache(Draw& draw) {
  constexpr std::uint64_t reach = 32768;
  for (;;) {
    sim::Cache cache = random_cache(draw, {.smallest = 1024, .largest = 8192});
    for (std::uint64_t& mask : cache.index.masks) mask &= reach - 1;
    const bool plain = std::ranges::all_of(cache.index.bits, [](int bit) { return (reach >> bit) > 1; });
    if (plain && analysis::independent(cache.index.masks)) return cache;
  }
}

sim::PrivateCache cache_behind(Draw& draw, const char* name, std::int64_t latency, std::int64_t smallest,
                               std::int64_t largest) {
  sim::PrivateCache made;
  made.name = name;
  made.latency = latency + draw.between(30, 80);
  do {
    const std::int64_t line = draw.power_of_two(64, 256);
    made.cache = plain_cache(line, draw.power_of_two(32, line), draw.power_of_two(4, 128), draw.between(2, 16));
  } while (made.cache.lines() * made.cache.line_size < smallest || made.cache.lines() * made.cache.line_size > largest);
  made.cache.replacement.policy = draw.one_in(2) ? sim::Replacement::Policy::lru : sim::Replacement::Policy::fifo;
  return made;
}

void add_instructions(Draw& draw, sim::Gpu& gpu, Way way) {
  if (way == Way::nowhere) return;
  if (way == Way::first_level) {
    gpu.caches[0].paths.push_back(chase::Path::instruction);
    return;
  }
  sim::PrivateCache own;
  own.name = "instruction_l1";
  own.paths = {chase::Path::instruction};
  own.latency = draw.between(20, 60);
  own.cache = random_cache(draw, {.smallest = 4096, .largest = 65536});
  if (way == Way::second_level && gpu.find_cache("constant_l15") != nullptr) own.next = "constant_l15";
  if (way == Way::own_levels) own.next = "instruction_l15";
  const std::int64_t latency = own.latency;
  gpu.caches.push_back(std::move(own));
  if (way == Way::own_levels) gpu.caches.push_back(cache_behind(draw, "instruction_l15", latency, 16384, 196608));
}

sim::Gpu draw_gpu(Draw& draw, Way way) {
  sim::Gpu gpu;
  gpu.name = "random";
  gpu.sm_count = 8;
  const std::int64_t arrays = draw.one_in(2) ? 1 : 4;
  gpu.constant_memory = {.size = arrays * array_bytes, .array = array_bytes};
  gpu.caches.emplace_back();
  gpu.caches[0].name = "constant_l1";
  gpu.caches[0].paths = {chase::Path::constant};
  gpu.caches[0].latency = draw.between(10, 50);
  gpu.caches[0].cache = first_cache(draw);
  if (!draw.one_in(4)) {
    const std::int64_t first = gpu.caches[0].cache.lines() * gpu.caches[0].cache.line_size;
    gpu.caches[0].next = "constant_l15";
    const std::int64_t largest = arrays == 1 ? 40960 : 196608;
    const std::int64_t smallest = std::max<std::int64_t>(8192, 4 * first);
    gpu.caches.push_back(cache_behind(draw, "constant_l15", gpu.caches[0].latency, smallest, largest));
  }
  add_instructions(draw, gpu, way);
  gpu.l2.cache = plain_cache(256, 32, 256, 16);
  gpu.l2.latency = draw.between(180, 300);
  gpu.l2.far_latency = gpu.l2.latency;
  gpu.dram.latency = draw.between(400, 800);
  gpu.dram.far_latency = gpu.dram.latency;
  gpu.noise = usual_noise();
  return gpu;
}

std::vector<Expected> expected_of(const sim::Gpu& gpu, Way way) {
  ExpectedFacts facts("");
  const auto shared = [](bool is_shared, const char* name) { return is_shared ? Json{name} : Json::array(); };
  const bool timed = way != Way::nowhere;
  facts.exact("constant_l1.shared_with", shared(way == Way::first_level, "instruction_l1"), timed);
  if (gpu.find_cache("constant_l15") != nullptr) {
    const bool second = way == Way::second_level || way == Way::first_level;
    facts.exact("constant_l15.shared_with", shared(second, "instruction_l15"), timed);
  }
  return facts.take();
}

/// Facts that other probes would have measured.
std::map<std::string, Json> given(const sim::Gpu& gpu) {
  std::map<std::string, Json> known{{"constant_memory.reach", {{"value", array_bytes}}},
                                    {"l1_data.hit_threshold", nullptr},
                                    {"read_only.hit_threshold", nullptr},
                                    {"texture.hit_threshold", nullptr}};
  for (const char* name : {"constant_l1", "constant_l15"}) {
    const sim::PrivateCache* cache = gpu.find_cache(name);
    if (cache == nullptr) continue;
    const std::string prefix = name;
    const sim::PrivateCache* next = gpu.find_cache(cache->next);
    const std::int64_t miss_latency = next != nullptr ? next->latency : gpu.l2.latency;
    known[prefix + ".size"] = {{"value", cache->cache.lines() * cache->cache.line_size}};
    known[prefix + ".line_size"] = {{"value", cache->cache.line_size}};
    known[prefix + ".hit_threshold"] = {{"value", static_cast<double>(cache->latency + miss_latency) / 2}};
  }
  return known;
}

Case draw_case(std::uint64_t number) {
  Draw draw(number);
  const auto [way, kind] = ways[number % ways.size()];
  sim::Gpu gpu = draw_gpu(draw, way);
  while (sim::violation(gpu)) gpu = draw_gpu(draw, way);
  std::string geometry;
  for (const sim::PrivateCache& cache : gpu.caches) geometry += cache.name + " " + describe(cache.cache) + "; ";
  return {.number = number,
          .kind = std::string("instructions: ") + kind,
          .gpu = gpu,
          .geometry = std::move(geometry),
          .expected = expected_of(gpu, way),
          .given = given(gpu)};
}

}  // namespace

Family make() {
  return {.name = "instruction_sharing", .plugins = {"cache-sharing"}, .smoke_cases = 5, .draw = draw_case};
}

}  // namespace tomograph::bench::instruction_sharing_family
