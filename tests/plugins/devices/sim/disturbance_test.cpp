#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "measuring.hpp"
#include "sim/chase/noise.hpp"
#include "sim/gpu/noise_scale.hpp"

namespace tomograph::sim {
namespace {

/// Loads that L1 never holds, from an L2 of 1024 lines in sets of 16.
Gpu gpu_with_small_l2() {
  Gpu gpu = gpu_with_l1(classical_cache(128, {1}));
  gpu.l2.cache = classical_cache(128, std::vector<std::int64_t>(64, 16));
  return gpu;
}

/// Three rounds over `lines` lines, of which the last is timed.
std::vector<std::uint32_t> third_round(const Gpu& gpu, std::int64_t lines) {
  chase::Program program = timed_chase(stride_ring(128, lines), lines);
  program.phases.insert(program.phases.begin(), {0, 0, 0, 2 * lines, chase::Timing::untimed});
  return run(gpu, program).traces.front().latency;
}

double share_from_memory(const std::vector<std::uint32_t>& latency) {
  const auto misses = std::ranges::count_if(latency, [](std::uint32_t cycles) { return cycles > l2_cycles; });
  return static_cast<double>(misses) / static_cast<double>(latency.size());
}

TEST_CASE("at a slower clock memory takes fewer cycles, L2 as many as before") {
  Gpu gpu = gpu_with_small_l2();
  gpu.noise.clock = {0.5, 0.999999, 1e9};
  const auto slow = static_cast<std::uint32_t>(l2_cycles + (dram_cycles - l2_cycles) / 2);
  for (const std::uint32_t cycles : third_round(gpu, 4096)) CHECK(cycles == slow);
  for (const std::uint32_t cycles : third_round(gpu, 512)) CHECK(cycles == l2_cycles);
}

TEST_CASE("a clock steps in mid-run and is elsewhere for its share of the time") {
  Gpu gpu = gpu_with_small_l2();
  gpu.noise.clock = {0.5, 0.25, 100};
  const auto latency = third_round(gpu, 65536);
  const auto at_nominal = std::ranges::count(latency, static_cast<std::uint32_t>(dram_cycles));
  CHECK(static_cast<double>(at_nominal) / 65536 == Approx(0.75).margin(0.05));
  std::size_t steps = 0;
  for (std::size_t i = 1; i < latency.size(); ++i) steps += latency[i] != latency[i - 1] ? 1 : 0;
  // It leaves each rate once in 400 loads.
  CHECK(static_cast<double>(steps) == Approx(2 * 65536 / 400.0).epsilon(0.3));
}

TEST_CASE("a clock that does not step has its nominal rate") {
  Random random(1);
  Clock clock({}, random);
  for (int i = 0; i < 1000; ++i) CHECK_FALSE(clock.steps(random));
  CHECK(clock.rate() == 1);
}

TEST_CASE("another process evicts lines from L2 at its rate, and noise that is switched off includes it") {
  for (const auto policy : {Replacement::Policy::lru, Replacement::Policy::fifo, Replacement::Policy::random}) {
    Gpu gpu = gpu_with_small_l2();
    gpu.l2.cache.replacement.policy = policy;
    CHECK(share_from_memory(third_round(gpu, 1024)) == 0);
    gpu.noise.intruder.lines_per_load = 0.01;
    const double disturbed = share_from_memory(third_round(gpu, 1024));
    CHECK(disturbed > 0.01);
    CHECK(disturbed < 1);
  }
  Gpu gpu = gpu_with_small_l2();
  gpu.noise.intruder.lines_per_load = 0.5;
  chase::Program program = timed_chase(stride_ring(128, 512), 512);
  program.phases.insert(program.phases.begin(), {0, 0, 0, 512, chase::Timing::untimed});
  CHECK(share_from_memory(run(gpu, program, {1, false}).traces.front().latency) == 0);
}

TEST_CASE("a line of another process takes one way of its set until it is evicted") {
  const std::vector<std::int64_t> ways{2};
  const Organisation organisation(ways, {Replacement::Policy::lru, {}});
  const std::vector<std::uint32_t> set_of_line(3, 0);
  CacheState state;
  state.reset_with_intruder(organisation, set_of_line, Rule::lru, Random(1));
  const auto use = [&](std::uint32_t line) { state.use<Rule::lru>(line, 1, 1); };
  use(0);
  use(1);
  state.insert_foreign_line<Rule::lru>();
  CHECK(state.valid(0) == 0);
  CHECK(state.valid(1) == 1);
  use(1);
  // The foreign line is now the least recently used.
  use(2);
  CHECK(state.valid(1) == 1);
  CHECK(state.valid(2) == 1);
  use(0);
  CHECK(state.valid(1) == 0);
}

TEST_CASE("noise scales in all its parts") {
  Gpu gpu = gpu_with_small_l2();
  gpu.noise = {0.5, 2, 10, 0.3, 100, 1000, {}, {0.1}};
  gpu.instructions.emplace().sigma = 3;
  const Gpu tenfold = with_noise(gpu, 10);
  CHECK(tenfold.noise.l1_sigma == 5);
  CHECK(tenfold.noise.l2_sigma == 20);
  CHECK(tenfold.noise.dram_sigma == 100);
  CHECK(tenfold.noise.outlier_probability == 1);
  CHECK(tenfold.noise.intruder.lines_per_load == 1);
  CHECK(tenfold.instructions->sigma == 30);
  CHECK(with_noise(gpu, 0).noise.dram_sigma == 0);
}

}  // namespace
}  // namespace tomograph::sim
