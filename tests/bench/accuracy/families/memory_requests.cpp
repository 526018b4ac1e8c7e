// Cycles of a warp's memory request by element size, with random rates and latency of memory.
#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "draw.hpp"
#include "family.hpp"
#include "random_cache.hpp"

namespace tomograph::bench::memory_requests_family {

namespace {

constexpr double tolerance = 0.03;
constexpr std::int64_t warp = 32;
constexpr std::array<std::int64_t, 5> elements{1, 2, 4, 8, 16};
/// Requests of a full SM: eight of each warp.
constexpr std::int64_t streams = 8;

sim::Gpu draw_gpu(Draw& draw) {
  sim::Gpu gpu;
  gpu.name = "random";
  gpu.sm_count = draw.between(2, 32);
  gpu.sm_clock_mhz = draw.between(600, 2500);
  gpu.l2.cache = plain_cache(128, 32, draw.power_of_two(2048, 16384), 16);
  gpu.l2.latency = gpu.l2.far_latency = draw.between(150, 300);
  gpu.dram.latency = gpu.dram.far_latency = draw.between(300, 1000);
  const auto sms = static_cast<double>(gpu.sm_count);
  sim::Bandwidth bandwidth;
  bandwidth.max_warps = 8 * draw.between(3, 8);
  for (double& cycles : bandwidth.access_cycles) cycles = draw.real(0.5, 4);
  bandwidth.l1 = draw.real(16, 128);
  const double l2 = sms * draw.real(12, 40);
  bandwidth.l2 = {l2, l2, l2};
  bandwidth.sm = l2 / sms * draw.real(1.1, 3);
  const double dram = l2 * draw.real(0.2, 0.9) * static_cast<double>(gpu.sm_clock_mhz) * 1e6;
  bandwidth.dram = {dram, dram, dram};
  bandwidth.sigma = draw.real(0, 0.005);
  gpu.bandwidth = bandwidth;
  gpu.api = {{"device.max_warps_per_sm", bandwidth.max_warps},
             {"l2.nominal_size", gpu.l2.cache.lines() * gpu.l2.cache.line_size}};
  return gpu;
}

/// Cycles between requests of an SM when only rates limit them: its issue, its port to the L2, its share of L2 and
/// memory.
double full_pipelines(const sim::Gpu& gpu, std::int64_t element) {
  const sim::Bandwidth& bandwidth = *gpu.bandwidth;
  const auto bytes = static_cast<double>(warp * element);
  const auto sms = static_cast<double>(gpu.sm_count);
  const double dram_per_cycle = bandwidth.dram.read / (static_cast<double>(gpu.sm_clock_mhz) * 1e6);
  return std::max(sim::of_element(bandwidth.access_cycles, element),
                  bytes / std::min({bandwidth.sm, bandwidth.l2.read / sms, dram_per_cycle / sms}));
}

/// Cycles of a request by element size, as pairs, as published.
using Pairs = std::vector<std::pair<std::int64_t, double>>;

/// Whether all published pairs are right and all `wanted` pairs are published.
void expect_pairs(ExpectedFacts& facts, const char* name, const Pairs& truth, const Pairs& wanted) {
  facts.judged(name, wanted, !wanted.empty(), [truth, wanted](const Json& published) {
    const bool all_right = std::ranges::all_of(published, [&](const Json& seen) {
      return std::ranges::any_of(truth, [&](const auto& pair) {
        return seen[0] == pair.first && std::abs(seen[1].get<double>() / pair.second - 1) < tolerance;
      });
    });
    return all_right && std::ranges::all_of(wanted, [&](const auto& pair) {
             return std::ranges::any_of(published, [&](const Json& seen) { return seen[0] == pair.first; });
           });
  });
}

std::vector<Expected> expected(const sim::Gpu& gpu) {
  ExpectedFacts facts("");
  Pairs completion;
  Pairs issue;
  Pairs levelled;
  const auto latency = static_cast<double>(gpu.dram.latency);
  for (const std::int64_t element : elements) {
    const double least = full_pipelines(gpu, element);
    completion.emplace_back(element, std::max(latency, least));
    issue.emplace_back(element, least);
    // From half to full occupancy the cycles must fall by less than a third.
    const double half_full = latency / static_cast<double>(gpu.bandwidth->max_warps * streams / 2);
    if (half_full < 1.4 * least) levelled.emplace_back(element, least);
  }
  expect_pairs(facts, "dram.request.completion_latency_by_element", completion, completion);
  expect_pairs(facts, "dram.request.issue_latency_by_element", issue, levelled);
  return facts.take();
}

std::string geometry(const sim::Gpu& gpu) {
  const sim::Bandwidth& bandwidth = *gpu.bandwidth;
  std::ostringstream text;
  text << gpu.sm_count << " SMs of " << bandwidth.max_warps << " warps at " << gpu.sm_clock_mhz << " MHz, L2 "
       << bandwidth.l2.read << " B/cycle, of one SM " << bandwidth.sm << ", DRAM " << bandwidth.dram.read * 1e-9
       << " GB/s after " << gpu.dram.latency << " cycles, an access takes";
  for (const double cycles : bandwidth.access_cycles) text << ' ' << cycles;
  return text.str();
}

Case draw_case(std::uint64_t number) {
  Draw draw(number);
  const sim::Gpu gpu = draw_gpu(draw);
  return {.number = number,
          .kind = gpu.sm_count < 8 ? "few SMs" : "many SMs",
          .gpu = gpu,
          .geometry = geometry(gpu),
          .expected = expected(gpu)};
}

}  // namespace

Family make() {
  return {.name = "memory_requests", .plugins = {"memory-requests"}, .smoke_cases = 6, .draw = draw_case};
}

}  // namespace tomograph::bench::memory_requests_family
