// Random assignments of load paths to caches, with one or several instances per SM.
#include <algorithm>
#include <numeric>
#include <sstream>

#include "cache_truth.hpp"
#include "family.hpp"
#include "random_cache.hpp"

namespace tomograph::bench::cache_sharing_family {

namespace {

sim::PrivateCache draw_cache(Draw& draw, const std::string& name) {
  sim::PrivateCache drawn;
  drawn.name = name;
  drawn.cache = random_cache(draw, {.smallest = 2048, .largest = 32768});
  drawn.latency = draw.between(20, 100);
  drawn.virtually_tagged = draw.one_in(2);
  if (draw.one_in(2)) {
    drawn.per_sm = draw.power_of_two(2, 4);
    drawn.warp_block = draw.power_of_two(1, 8);
  }
  return drawn;
}

/// A second-level constant cache that random groups of SMs share.
void add_outer_constant_cache(Draw& draw, sim::Gpu& gpu) {
  sim::PrivateCache* inner = gpu.serving(chase::Path::constant);
  if (inner == nullptr || draw.one_in(4)) return;
  inner->next = "constant_l15";
  const std::int64_t inner_latency = inner->latency;
  sim::PrivateCache outer;
  outer.name = inner->next;
  outer.cache = plain_cache(256, 64, 32, 4);
  outer.latency = inner_latency + draw.between(30, 60);
  std::vector<std::int64_t> sms(static_cast<std::size_t>(gpu.sm_count));
  std::iota(sms.begin(), sms.end(), 0);
  draw.shuffle(sms);
  outer.shared_by.resize(static_cast<std::size_t>(draw.between(1, gpu.sm_count)));
  for (std::size_t i = 0; i < sms.size(); ++i) {
    const auto any = static_cast<std::size_t>(draw.between(0, std::ssize(outer.shared_by) - 1));
    outer.shared_by[i < outer.shared_by.size() ? i : any].push_back(sms[i]);
  }
  for (auto& group : outer.shared_by) std::ranges::sort(group);
  std::ranges::sort(outer.shared_by);
  gpu.caches.push_back(std::move(outer));
}

sim::Gpu draw_gpu(Draw& draw) {
  sim::Gpu gpu;
  gpu.name = "random";
  gpu.sm_count = draw.between(2, 12);
  const std::int64_t caches = draw.between(1, 4);
  for (std::int64_t i = 0; i < caches; ++i) gpu.caches.push_back(draw_cache(draw, "cache" + std::to_string(i)));
  for (const View& view : views) {
    // One path in eight goes to the L2 directly, as plain global loads do on some GPUs.
    if (draw.one_in(8)) continue;
    gpu.caches[static_cast<std::size_t>(draw.between(0, caches - 1))].paths.push_back(view.path);
  }
  std::erase_if(gpu.caches, [](const sim::PrivateCache& cache) { return cache.paths.empty(); });
  add_outer_constant_cache(draw, gpu);
  gpu.l2.cache = plain_cache(256, 32, 256, 16);
  gpu.l2.latency = draw.between(180, 300);
  gpu.l2.far_latency = gpu.l2.latency;
  gpu.dram.latency = draw.between(400, 800);
  gpu.dram.far_latency = gpu.dram.latency;
  gpu.noise = usual_noise();
  return gpu;
}

/// Facts that other probes would have measured.
std::map<std::string, Json> given(const sim::Gpu& gpu) {
  std::map<std::string, Json> known;
  for (const View& view : views) {
    const sim::PrivateCache* cache = gpu.serving(view.path);
    const std::string prefix = view.prefix;
    if (cache == nullptr) {
      known[prefix + ".hit_threshold"] = nullptr;
      continue;
    }
    known[prefix + ".size"] = {{"value", cache->cache.lines() * cache->cache.line_size}};
    known[prefix + ".line_size"] = {{"value", cache->cache.line_size}};
    const sim::PrivateCache* next = gpu.find_cache(cache->next);
    const std::int64_t miss_latency = next != nullptr ? next->latency : gpu.l2.latency;
    known[prefix + ".hit_threshold"] = {{"value", static_cast<double>(cache->latency + miss_latency) / 2}};
  }
  if (const sim::PrivateCache* outer = gpu.find_cache("constant_l15")) {
    known["constant_l15.size"] = {{"value", outer->cache.lines() * outer->cache.line_size}};
    known["constant_l15.line_size"] = {{"value", outer->cache.line_size}};
    known["constant_l15.hit_threshold"] = {{"value", static_cast<double>(outer->latency + gpu.l2.latency) / 2}};
  }
  return known;
}

std::string geometry(const sim::Gpu& gpu) {
  std::ostringstream text;
  for (const sim::PrivateCache& cache : gpu.caches) {
    if (cache.paths.empty()) text << Json(cache.shared_by).dump() << " share constant_l15 ";
    for (const View& view : views) {
      if (std::ranges::find(cache.paths, view.path) != cache.paths.end()) text << view.prefix << ' ';
    }
    text << "in " << cache.per_sm << " by " << cache.warp_block << " warps, " << describe(cache.cache) << "; ";
  }
  return text.str();
}

Case draw_case(std::uint64_t number) {
  Draw draw(number);
  sim::Gpu gpu = draw_gpu(draw);
  while (gpu.caches.empty() || sim::violation(gpu)) gpu = draw_gpu(draw);
  ExpectedFacts expected("");
  expect_sharing(expected, gpu);
  auto facts = expected.take();
  if (const sim::PrivateCache* outer = gpu.find_cache("constant_l15")) {
    ExpectedFacts groups("constant_l15.");
    expect_groups(groups, outer->shared_by, gpu.sm_count);
    std::ranges::move(groups.take(), std::back_inserter(facts));
  }
  return {
      .number = number,
      .kind = std::to_string(std::ranges::count(gpu.caches, false, [](const auto& one) { return one.paths.empty(); })) +
              " caches, " + (gpu.find_cache("constant_l15") != nullptr ? "constant L1.5" : "no constant L1.5"),
      .gpu = gpu,
      .geometry = geometry(gpu),
      .expected = std::move(facts),
      .given = given(gpu)};
}

}  // namespace

Family make() { return {.name = "cache_sharing", .plugins = {"cache-sharing"}, .smoke_cases = 4, .draw = draw_case}; }

}  // namespace tomograph::bench::cache_sharing_family
