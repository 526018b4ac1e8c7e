// Streaming with random rates and latencies of all levels.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "draw.hpp"
#include "family.hpp"
#include "random_cache.hpp"

namespace tomograph::bench::throughput_family {

namespace {

constexpr double tolerance = 0.03;
constexpr std::int64_t element = 16;
constexpr std::int64_t warp = 32;

/// Rates within a factor of `least` of the largest.
sim::StreamingRates draw_rates(Draw& draw, double largest, double least) {
  return {largest * draw.real(least, 1), largest * draw.real(least, 1), largest * draw.real(least, 1)};
}

/// In every other GPU, groups of SMs share a port to the L2 that limits their rate.
void draw_port(Draw& draw, sim::Gpu& gpu) {
  const std::int64_t size = draw.between(2, 4);
  if (gpu.sm_count % size != 0 || gpu.sm_count / size < 2 || draw.one_in(3)) return;
  sim::Port port{.shared_by = {}, .rate = static_cast<double>(size) * gpu.bandwidth->sm * draw.real(0.3, 0.8)};
  for (std::int64_t sm = 0; sm < gpu.sm_count; ++sm) {
    if (sm % size == 0) port.shared_by.emplace_back();
    port.shared_by.back().push_back(sm);
  }
  gpu.bandwidth->port = std::move(port);
}

sim::Gpu draw_gpu(Draw& draw) {
  sim::Gpu gpu;
  gpu.name = "random";
  gpu.sm_count = draw.between(2, 16);
  gpu.sm_clock_mhz = draw.between(600, 2500);
  gpu.caches.emplace_back();
  sim::PrivateCache& l1 = gpu.caches.back();
  l1.name = "l1";
  l1.paths = {chase::Path::global_ca};
  l1.latency = draw.between(20, 60);
  l1.cache = plain_cache(128, 32, draw.power_of_two(64, 512), 4);
  gpu.l2.cache = plain_cache(128, 32, draw.power_of_two(2048, 16384), 16);
  gpu.l2.latency = gpu.l2.far_latency = draw.between(150, 300);
  gpu.dram.latency = gpu.dram.far_latency = draw.between(400, 800);
  const auto sms = static_cast<double>(gpu.sm_count);
  sim::Bandwidth bandwidth;
  bandwidth.access_cycles.fill(draw.real(0.5, 4));
  bandwidth.l1 = draw.real(16, 128);
  bandwidth.l2 = draw_rates(draw, sms * draw.real(12, 40), 0.5);
  bandwidth.sm = bandwidth.l2.read / sms * draw.real(1.1, 3);
  const double per_cycle = std::min({bandwidth.l2.read, bandwidth.l2.write, bandwidth.l2.copy}) * draw.real(0.2, 0.9);
  bandwidth.dram = draw_rates(draw, per_cycle * static_cast<double>(gpu.sm_clock_mhz) * 1e6, 0.7);
  bandwidth.sigma = draw.real(0, 0.005);
  gpu.bandwidth = bandwidth;
  draw_port(draw, gpu);
  gpu.api = {{"device.max_warps_per_sm", 64},
             {"dram.bandwidth.theoretical", std::llround(bandwidth.dram.read * draw.real(1, 1.4))}};
  return gpu;
}

double clock(const sim::Gpu& gpu) { return static_cast<double>(gpu.sm_clock_mhz) * 1e6; }

/// Bytes per cycle that all SMs together issue with accesses of `bytes` per thread.
double issued(const sim::Gpu& gpu, std::int64_t bytes) {
  return static_cast<double>(gpu.sm_count * warp * bytes) / gpu.bandwidth->access_cycles.front();
}

/// Bytes per second of L2 or memory, limited by the levels before it.
double reached(const sim::Gpu& gpu, double rate, std::int64_t bytes = element) {
  const auto& port = gpu.bandwidth->port;
  const double way = port ? static_cast<double>(port->shared_by.size()) * port->rate
                          : static_cast<double>(gpu.sm_count) * gpu.bandwidth->sm;
  return std::min({rate, way * clock(gpu), issued(gpu, bytes) * clock(gpu)});
}

/// Bytes in flight by Little's law. The tolerance is the step of the sweep: a tenth, or one warp on every SM.
void expect_saturation(ExpectedFacts& facts, const sim::Gpu& gpu, const char* name, double rate, std::int64_t latency) {
  const double truth = 0.95 * rate / clock(gpu) * static_cast<double>(latency);
  const auto one_warp = static_cast<double>(gpu.sm_count * warp * element);
  facts.within(name, truth, std::max(0.12 * truth, one_warp), truth > 2 * one_warp);
}

/// Bytes per cycle that a lone SM reads from the L2.
double drawn_alone(const sim::Gpu& gpu) {
  const sim::Bandwidth& bandwidth = *gpu.bandwidth;
  const double port = bandwidth.port ? bandwidth.port->rate : bandwidth.sm;
  return std::min({bandwidth.sm, port, bandwidth.l2.read, issued(gpu, element) / static_cast<double>(gpu.sm_count)});
}

/// Rates of the ports, if the ports limit the groups rather than the SMs or the L2.
void expect_interconnect(ExpectedFacts& facts, const sim::Gpu& gpu) {
  const double alone = drawn_alone(gpu);
  facts.within("noc.bandwidth_per_sm", alone, tolerance * alone);
  if (!gpu.bandwidth->port) return;
  const sim::Port& port = *gpu.bandwidth->port;
  const auto groups = static_cast<double>(port.shared_by.size());
  const auto size = static_cast<double>(port.shared_by.front().size());
  const double truth = groups * port.rate * clock(gpu);
  const bool is_bound = port.rate < 0.85 * size * alone &&
                        port.rate * clock(gpu) < 0.85 * reached(gpu, gpu.bandwidth->l2.read * clock(gpu));
  facts.within("noc.bandwidth", truth, tolerance * truth, is_bound);
}

std::vector<Expected> expected(const sim::Gpu& gpu) {
  const sim::Bandwidth& bandwidth = *gpu.bandwidth;
  ExpectedFacts facts("");
  const auto near = [&](const char* name, double truth) { facts.within(name, truth, tolerance * truth); };
  near("l1_data.bandwidth.read", std::min(bandwidth.l1, issued(gpu, element) / static_cast<double>(gpu.sm_count)));
  const double l2_read = reached(gpu, bandwidth.l2.read * clock(gpu));
  near("l2.bandwidth.read", l2_read);
  near("l2.bandwidth.write", reached(gpu, bandwidth.l2.write * clock(gpu)));
  near("l2.bandwidth.copy", reached(gpu, bandwidth.l2.copy * clock(gpu)));
  near("l2.bandwidth.read_per_sm", drawn_alone(gpu));
  expect_interconnect(facts, gpu);
  const double dram_read = reached(gpu, bandwidth.dram.read);
  near("dram.bandwidth.read", dram_read);
  near("dram.bandwidth.write", reached(gpu, bandwidth.dram.write));
  near("dram.bandwidth.copy", reached(gpu, bandwidth.dram.copy));
  near("dram.bandwidth.efficiency", dram_read / gpu.api.back().value.get<double>());
  expect_saturation(facts, gpu, "l2.saturating_bytes_in_flight", l2_read, gpu.l2.latency);
  expect_saturation(facts, gpu, "dram.saturating_bytes_in_flight", dram_read, gpu.dram.latency);
  Json by_element = Json::array();
  for (const std::int64_t bytes : {1, 2, 4, 8, 16}) {
    by_element.push_back({bytes, reached(gpu, bandwidth.dram.copy, bytes)});
  }
  facts.judged("dram.bandwidth_by_element", by_element, true, [by_element](const Json& published) {
    return std::ranges::equal(published, by_element, [](const Json& seen, const Json& truth) {
      return seen[0] == truth[0] && std::abs(seen[1].get<double>() / truth[1].get<double>() - 1) < tolerance;
    });
  });
  return facts.take();
}

std::string geometry(const sim::Gpu& gpu) {
  const sim::Bandwidth& bandwidth = *gpu.bandwidth;
  std::ostringstream text;
  text << gpu.sm_count << " SMs at " << gpu.sm_clock_mhz << " MHz, L1 " << bandwidth.l1 << " B/cycle, L2 "
       << bandwidth.l2.read << " B/cycle, of one SM " << bandwidth.sm << ", DRAM " << bandwidth.dram.read * 1e-9
       << " GB/s, " << bandwidth.access_cycles.front() << " cycles an access";
  return text.str();
}

Case draw_case(std::uint64_t number) {
  Draw draw(number);
  const sim::Gpu gpu = draw_gpu(draw);
  const sim::Cache& l1 = gpu.caches.front().cache;
  const std::int64_t l2 = gpu.l2.cache.lines() * gpu.l2.cache.line_size;
  const Json groups = gpu.bandwidth->port ? Json(gpu.bandwidth->port->shared_by) : Json::array();
  return {.number = number,
          .kind = gpu.bandwidth->access_cycles.front() < 2 ? "wide" : "narrow",
          .gpu = gpu,
          .geometry = geometry(gpu),
          .expected = expected(gpu),
          .given = {{"l1_data.caches_global_loads", {{"value", true}}},
                    {"l1_data.size", {{"value", l1.lines() * l1.line_size}}},
                    {"l2.size", {{"value", l2}}},
                    {"constant_l15.sm_groups", {{"value", groups}}},
                    {"l2.partition.count", {{"value", 1}, {"conditions", Json::object()}}},
                    {"l2.partition.size", {{"value", l2}}}}};
}

}  // namespace

Family make() { return {.name = "throughput", .plugins = {"throughput"}, .smoke_cases = 4, .draw = draw_case}; }

}  // namespace tomograph::bench::throughput_family
