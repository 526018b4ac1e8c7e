#include "sim/simulator.hpp"

#include <algorithm>
#include <set>

#include "catch.hpp"
#include "measuring.hpp"

namespace tomograph::sim {
namespace {

Gpu noisy_gpu() {
  Cache cache = classical_cache(128, {8, 8, 8, 8});
  cache.replacement.policy = Replacement::Policy::random;
  Gpu gpu = gpu_with_l1(cache);
  gpu.caches.push_back(private_cache("texture", cache, {chase::Path::texture}));
  gpu.caches[1].per_sm = 2;
  gpu.translation.tlb = {tlb(chase::array_alignment, {1, 2}, 10), tlb(chase::array_alignment, {3}, 50)};
  gpu.translation.tlb[0].entries.replacement.policy = Replacement::Policy::random;
  gpu.translation.tlb[1].shared_by = {{0, 1, 2, 3}};
  gpu.noise = {0.5, 2, 10, 0.001, 100, 1000, {0.8, 0.3, 200}, {0.01}};
  return gpu;
}

/// Programs of many kinds and lengths, so that threads finish them out of order.
std::vector<Experiment> mixed_batch() {
  std::vector<Experiment> batch;
  for (std::int64_t i = 0; i < 40; ++i) {
    chase::Program program =
        timed_chase({0, 0, 128, 10 + 7 * i % 60, chase::Order::shuffled, i, {}}, 100 + 3000 * (i % 3));
    program.phases.push_back({0, 0, 0, 1000, chase::Timing::total});
    program.actors.push_back({i % 4, chase::Path::texture, 1, i % 5});
    program.rings.push_back({0, 8, chase::array_alignment - 1024, 4});
    program.phases.push_back({1, 1, 0, 5 * i + 1, chase::Timing::each});
    program.trial = i;
    batch.push_back(chase::encode(program));
  }
  return batch;
}

TEST_CASE("answers are the same for any number of threads, any order of the batch and any history") {
  const auto batch = mixed_batch();
  const auto alone = Simulator(noisy_gpu(), {}, 1).execute(batch);
  Simulator simulator(noisy_gpu(), {}, 5);
  CHECK(simulator.execute(batch) == alone);
  CHECK(simulator.execute(batch) == alone);
  std::vector<Experiment> reversed(batch.rbegin(), batch.rend());
  auto answers = simulator.execute(reversed);
  std::ranges::reverse(answers);
  CHECK(answers == alone);
}

TEST_CASE("another seed, another trial or another warp is another measurement") {
  chase::Program program = timed_chase(stride_ring(128, 64), 1000);
  const auto first = run(noisy_gpu(), program).traces[0].latency;
  CHECK(run(noisy_gpu(), program, {2, true}).traces[0].latency != first);
  program.trial = 1;
  CHECK(run(noisy_gpu(), program).traces[0].latency != first);
  program.trial = 0;
  program.actors[0].warp = 1;
  CHECK(run(noisy_gpu(), program).traces[0].latency != first);
}

TEST_CASE("noise is on unless it is switched off, and of the described size") {
  Gpu gpu = noisy_gpu();
  gpu.noise = {2, 2, 2, 0, 0, 0, {}, {}};
  const chase::Program program = timed_chase(stride_ring(128, 8), 20000);
  const auto noisy = run(gpu, program).traces[0].latency;
  double variance = 0;
  for (std::size_t i = 8; i < noisy.size(); ++i) {
    variance += (noisy[i] - 30.0) * (noisy[i] - 30.0) / static_cast<double>(noisy.size() - 8);
  }
  CHECK(variance == Approx(4 + 1.0 / 12).epsilon(0.05));
  const auto quiet = run(gpu, program, {1, false}).traces[0].latency;
  CHECK(std::set(quiet.begin() + 8, quiet.end()) == std::set<std::uint32_t>{30});
}

TEST_CASE("outliers strike loads from memory as often and as hard as described, and no others") {
  Gpu gpu = noisy_gpu();
  gpu.noise = {0, 0, 0, 0.01, 100, 200, {}, {}};
  gpu.translation.tlb.clear();
  constexpr std::int64_t lines = 60000;
  chase::Program program = timed_chase(stride_ring(128, lines), lines);
  program.rings.push_back(node_ring({8}));
  program.phases.push_back({0, 1, 0, lines, chase::Timing::each});
  const chase::Result result = run(gpu, program);
  const auto struck = [](std::uint32_t latency) {
    return latency >= dram_cycles + 100 && latency <= dram_cycles + 200;
  };
  const auto spared = [](std::uint32_t latency) { return latency == dram_cycles; };
  const auto& cold = result.traces[0].latency;
  CHECK(std::ranges::count_if(cold, struck) == Approx(600).margin(100));
  CHECK(std::ranges::count_if(cold, struck) + std::ranges::count_if(cold, spared) == lines);
  const auto& warm = result.traces[1].latency;
  CHECK(std::ranges::count(warm, l1_cycles) >= lines - 1);
}

TEST_CASE("latencies and totals include the overhead that the answer states") {
  Gpu gpu = gpu_with_l1(classical_cache(128, {8}));
  gpu.instrument = {4, 25, 512};
  chase::Program program = timed_chase(stride_ring(128, 2), 2);
  program.phases.push_back({0, 0, 0, 10, chase::Timing::total});
  const chase::Result result = run(gpu, program, {1, false});
  CHECK(result.traces[0].latency == std::vector<std::uint32_t>{404, 404});
  CHECK(result.traces[0].node == std::vector<std::uint32_t>{0, 1});
  CHECK(result.totals == std::vector<double>{10 * l1_cycles + 25});
  CHECK(result.overhead_each == 4);
  CHECK(result.overhead_total == 25);
  CHECK(result.kernel_shared == 512);
}

TEST_CASE("a phase starts at its first node and a ring goes on at node 0") {
  chase::Program program = timed_chase(stride_ring(128, 3), 5);
  program.phases[0].first = 2;
  const Gpu gpu = gpu_with_l1(classical_cache(128, {8}));
  CHECK(run(gpu, program).traces[0].node == std::vector<std::uint32_t>{2, 0, 1, 2, 0});
}

TEST_CASE("all actors that take any SM get the same one") {
  chase::Program program = timed_chase(stride_ring(128, 3), 5);
  program.actors.push_back(program.actors[0]);
  const auto sms = run(gpu_with_l1(classical_cache(128, {8})), program).sms;
  CHECK(sms[0] == sms[1]);
  CHECK(sms[0] < 4);
}

TEST_CASE("what is no chase is refused as unsupported, by name") {
  Simulator simulator(gpu_with_l1(classical_cache(128, {8})));
  const std::vector<Experiment> batch{{"com.example.tma/1", {}}, chase::encode(timed_chase(stride_ring(128, 3), 5))};
  const auto answers = simulator.execute(batch);
  CHECK(answers[0].status == TOMOGRAPH_UNSUPPORTED);
  CHECK_THAT(answers[0].reason, Catch::Matchers::ContainsSubstring("com.example.tma/1"));
  CHECK(answers[1].status == TOMOGRAPH_OK);
}

TEST_CASE("a program that this GPU cannot run is refused with the reason, the rest of the batch is answered") {
  Gpu gpu = gpu_with_l1(classical_cache(128, {8}));
  gpu.dram.size = chase::array_alignment * 4;
  const auto refused = [&](const chase::Program& program, tomograph_status status, const std::string& reason) {
    const Answer given = answer(gpu, program);
    CHECK(given.status == status);
    CHECK_THAT(given.reason, Catch::Matchers::ContainsSubstring(reason));
  };
  chase::Program other_sm = timed_chase(stride_ring(128, 3), 5);
  other_sm.actors[0].sm = 4;
  refused(other_sm, TOMOGRAPH_INVALID, "SM 4, the GPU has SMs 0 to 3");
  chase::Program large = timed_chase(stride_ring(128, 3), 5);
  large.arrays.push_back({8, chase::no_alias});
  refused(large, TOMOGRAPH_UNSUPPORTED, "out of memory");
  chase::Program broken = timed_chase(stride_ring(128, 3), 5);
  broken.phases[0].ring = 7;
  refused(broken, TOMOGRAPH_INVALID, "ring");
  chase::Program endless = timed_chase(stride_ring(128, 3), 5);
  endless.phases[0] = {0, 0, 0, std::int64_t{1} << 32, chase::Timing::untimed};
  refused(endless, TOMOGRAPH_INVALID, "2^31 loads");
}

TEST_CASE("an impossible GPU is not simulated") {
  CHECK_THROWS_WITH(Simulator(gpu_with_l1(classical_cache(100, {8}))),
                    "cache.l1.line_size is 100, must be a power of two");
}

}  // namespace
}  // namespace tomograph::sim
