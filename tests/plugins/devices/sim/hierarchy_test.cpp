#include <algorithm>
#include <array>
#include <cmath>

#include "catch.hpp"
#include "measuring.hpp"

namespace tomograph::sim {
namespace {

std::string pattern_of(const Gpu& gpu, const chase::Ring& ring, std::int64_t loads) {
  return pattern(run(gpu, timed_chase(ring, loads), quiet));
}

/// Follows the ring once untimed, then once timed: what a warm cache answers.
std::string warm_pattern(const Gpu& gpu, const chase::Ring& ring, std::int64_t carveout = chase::default_carveout) {
  chase::Program program = timed_chase(ring, ring.size());
  program.phases.insert(program.phases.begin(), {0, 0, 0, 2 * ring.size(), chase::Timing::untimed});
  program.carveout = carveout;
  return pattern(run(gpu, program, quiet));
}

bool all_hit(const std::string& trace) { return trace.find_first_not_of('.') == std::string::npos; }

TEST_CASE("13 words in a 12-word LRU cache of 3 sets by 2 ways miss as in Mei and Chu 2017, Figs. 2 and 3") {
  // Words of 8 B, lines of 2 words. Lines 0, 3 and 6 share a set of two ways and miss in every round.
  const Gpu gpu = gpu_with_l1(classical_cache(16, {2, 2, 2}));
  const std::string trace = pattern_of(gpu, stride_ring(8, 13), 39);
  const std::string round = "2.....2.....2";
  CHECK(trace.substr(13) == round + round);
}

TEST_CASE("LRU spares a line that was used again, FIFO does not") {
  // Lines A B A C A B, each time another word of the line, in one set of two ways.
  const chase::Ring ring = node_ring({0, 128, 8, 256, 16, 136});
  Gpu gpu = gpu_with_l1(classical_cache(128, {2}));
  CHECK(pattern_of(gpu, ring, 6) == "DD.D.2");
  gpu.caches[0].cache.replacement.policy = Replacement::Policy::fifo;
  CHECK(pattern_of(gpu, ring, 6) == "DD.D22");
}

std::array<double, 4> victim_frequencies(const Replacement& replacement, int trials) {
  Cache cache = classical_cache(128, {4});
  cache.replacement = replacement;
  Simulator simulator(gpu_with_l1(cache), quiet, 1);
  // Four lines fill ways 1 to 4 in order, the fifth evicts one; the first of the four to miss then was in that way.
  chase::Program program = timed_chase(stride_ring(128, 5), 4);
  program.phases.insert(program.phases.begin(), {0, 0, 0, 5, chase::Timing::untimed});
  std::vector<Experiment> batch;
  for (program.trial = 0; program.trial < trials; ++program.trial) batch.push_back(chase::encode(program));
  std::array<double, 4> frequencies{};
  for (const Answer& given : simulator.execute(batch)) {
    frequencies.at(pattern(chase::decode_result(program, given)).find('2')) += 1.0 / trials;
  }
  return frequencies;
}

TEST_CASE("way-weighted replacement evicts each way as often as described (Mei and Chu 2017, Fermi)") {
  const std::vector<double> described{1.0 / 6, 1.0 / 2, 1.0 / 6, 1.0 / 6};
  const auto seen = victim_frequencies({Replacement::Policy::way_weighted, described}, 4000);
  for (std::size_t way = 0; way < 4; ++way) CHECK(std::abs(seen[way] - described[way]) < 0.035);
}

TEST_CASE("random replacement evicts all ways equally often") {
  for (const double frequency : victim_frequencies({Replacement::Policy::random, {}}, 4000)) {
    CHECK(std::abs(frequency - 0.25) < 0.035);
  }
}

TEST_CASE("a miss fills one sector, or the aligned group that the fetch granularity says") {
  Cache cache = classical_cache(128, {8});
  cache.sector_size = 32;
  cache.fetch_granularity = 32;
  Gpu gpu = gpu_with_l1(cache);
  gpu.l2.cache.sector_size = gpu.l2.cache.fetch_granularity = 32;
  CHECK(pattern_of(gpu, stride_ring(16, 16), 16) == "D.D.D.D.D.D.D.D.");
  gpu.caches[0].cache.fetch_granularity = 64;
  CHECK(pattern_of(gpu, stride_ring(16, 16), 16) == "D...D...D...D...");
  // The group is aligned: starting in its middle does not move it.
  CHECK(pattern_of(gpu, {0, 32, 32, 4, chase::Order::sequential, 0, {}}, 4) == "DD.D");
}

TEST_CASE("the L2 fetches its own granularity from DRAM, seen by loads that pass by the L1") {
  Gpu gpu = gpu_with_l1(classical_cache(128, {8}));
  gpu.l2.cache.sector_size = 32;
  gpu.l2.cache.fetch_granularity = 64;
  chase::Program program = timed_chase(stride_ring(32, 8), 8);
  program.actors[0].path = chase::Path::global_cg;
  CHECK(pattern(run(gpu, program, quiet)) == "D2D2D2D2");
}

TEST_CASE("an L1 line that spans several L2 lines brings all of them into the L2") {
  Gpu gpu = gpu_with_l1(classical_cache(128, {8}));
  gpu.l2.cache = classical_cache(32, std::vector<std::int64_t>(64, 16));
  chase::Program program = timed_chase(node_ring({0, 40, 72, 104}), 1);
  program.actors.push_back({chase::any_sm, chase::Path::global_cg, 1});
  program.phases.push_back({1, 0, 1, 3, chase::Timing::each});
  const chase::Result result = run(gpu, program, quiet);
  CHECK(pattern(result, 0) == "D");
  CHECK(pattern(result, 1) == "222");
}

std::string alias_pattern(bool virtually_tagged) {
  Gpu gpu = gpu_with_l1(classical_cache(128, std::vector<std::int64_t>(16, 4)));
  gpu.caches[0].virtually_tagged = virtually_tagged;
  chase::Program program = timed_chase(stride_ring(128, 4), 4);
  program.arrays.push_back({program.arrays[0].bytes, 0});
  program.rings.push_back({1, 8, 128, 4, chase::Order::sequential, 0, {}});
  program.phases.push_back({0, 1, 0, 4, chase::Timing::each});
  return pattern(run(gpu, program, quiet), 1);
}

TEST_CASE("an alias hits in a physically tagged L1 and misses in a virtually tagged one") {
  CHECK(alias_pattern(false) == "....");
  CHECK(alias_pattern(true) == "2222");
}

TEST_CASE("unequal sets keep as many lines as each has ways") {
  const Gpu gpu = gpu_with_l1(classical_cache(128, {3, 1}));
  CHECK(all_hit(warm_pattern(gpu, node_ring({0, 128, 256, 512}))));
  CHECK(warm_pattern(gpu, node_ring({128, 384})) == "22");
  CHECK(warm_pattern(gpu, node_ring({0, 256, 512, 768})) == "2222");
}

TEST_CASE("a hashed index lets exactly those lines collide whose masked bits have equal parity") {
  Cache cache = classical_cache(128, {1, 1, 1, 1});
  cache.index = {Index::Kind::hashed, {}, {0x2080, 0x4100}};
  const Gpu gpu = gpu_with_l1(cache);
  CHECK(all_hit(warm_pattern(gpu, node_ring({0, 0x80, 0x100, 0x180}))));
  CHECK(all_hit(warm_pattern(gpu, node_ring({0, 0x2000}))));
  CHECK(warm_pattern(gpu, node_ring({0, 0x2080})) == "22");
  CHECK(warm_pattern(gpu, node_ring({0x100, 0x4000})) == "22");
  CHECK(warm_pattern(gpu, node_ring({0, 0x1000})) == "22");
}

TEST_CASE("index bits need not follow the line offset (Mei and Chu 2017: texture L1, bits 7 and 8)") {
  Cache cache = classical_cache(32, {2, 2, 2, 2});
  cache.index = {Index::Kind::bits, {7, 8}, {}};
  const Gpu gpu = gpu_with_l1(cache);
  CHECK(all_hit(warm_pattern(gpu, node_ring({0, 32, 128, 160}))));
  CHECK(warm_pattern(gpu, node_ring({0, 32, 64})) == "222");
}

Gpu gpu_with_carveouts() {
  Gpu gpu = gpu_with_l1(classical_cache(128, {}));
  gpu.caches[0].carveouts = Carveouts{16384 + 256, {0, 8192, 15872}, {256, 256, 512}, 8192, 2};
  return gpu;
}

TEST_CASE("the carve-out in force is the smallest that holds what is asked for and what the kernel takes") {
  Gpu gpu = gpu_with_carveouts();
  const auto holds = [&](std::int64_t lines, std::int64_t carveout) {
    return all_hit(warm_pattern(gpu, stride_ring(128, lines), carveout)) &&
           !all_hit(warm_pattern(gpu, stride_ring(128, lines + 1), carveout));
  };
  CHECK(holds(128, 0));
  CHECK(holds(64, 1));
  CHECK(holds(64, 8192));
  CHECK(holds(64, chase::default_carveout));
  gpu.instrument.kernel_shared = 1024;
  CHECK(holds(64, 0));
  CHECK_THROWS_WITH(warm_pattern(gpu, stride_ring(128, 1), 20000),
                    Catch::Matchers::ContainsSubstring("at most 15872 B can be had"));
}

TEST_CASE("usable lines that do not come out even give the first sets one way more") {
  Gpu gpu = gpu_with_carveouts();
  gpu.caches[0].carveouts->reserved[2] = 128;
  CHECK(gpu.caches[0].ways_beside(15872) == std::vector<std::int64_t>{3, 2});
  CHECK(all_hit(warm_pattern(gpu, stride_ring(128, 5), 15872)));
}

TEST_CASE("each SM has its own L1, which the actors on it share, and which outlasts the phase") {
  const Gpu gpu = gpu_with_l1(classical_cache(128, {4}));
  chase::Program program = timed_chase(stride_ring(128, 2), 2);
  program.actors = {{1, chase::Path::global_ca, 1}, {1, chase::Path::global_ca, 1}, {2, chase::Path::global_ca, 1}};
  program.phases = {
      {0, 0, 0, 2, chase::Timing::each}, {1, 0, 0, 2, chase::Timing::each}, {2, 0, 0, 2, chase::Timing::each}};
  const chase::Result result = run(gpu, program, quiet);
  CHECK(pattern(result, 0) == "DD");
  CHECK(pattern(result, 1) == "..");
  CHECK(pattern(result, 2) == "22");
  CHECK(result.sms == std::vector<std::int64_t>{1, 1, 2});
}

TEST_CASE("only the load paths that the L1 serves look into it") {
  const Gpu gpu = gpu_with_l1(classical_cache(128, {4}));
  chase::Program program = timed_chase(stride_ring(128, 2), 4);
  program.actors[0].path = chase::Path::global_nc;
  CHECK(pattern(run(gpu, program, quiet)) == "DD22");
}

Gpu gpu_with_partitions(bool replicate) {
  Gpu gpu = gpu_with_l1(classical_cache(128, {4}));
  gpu.caches.clear();
  gpu.l2.partitions = 2;
  gpu.l2.home_masks = {0x1000};
  gpu.l2.far_latency = 300;
  gpu.l2.replicate = replicate;
  gpu.dram.far_latency = 500;
  return gpu;
}

/// One line at home in each partition, loaded cold and twice again from SM 0, then three times from SM 3.
std::vector<std::uint32_t> latencies_from_both_sides(const Gpu& gpu) {
  chase::Program program = timed_chase(node_ring({0, 0x1000}), 6);
  program.actors = {{0, chase::Path::global_cg, 1}, {3, chase::Path::global_cg, 1}};
  program.phases.push_back({1, 0, 0, 6, chase::Timing::each});
  const chase::Result result = run(gpu, program, quiet);
  std::vector<std::uint32_t> latencies = result.traces[0].latency;
  latencies.insert(latencies.end(), result.traces[1].latency.begin(), result.traces[1].latency.end());
  return latencies;
}

TEST_CASE("a line at home in the other partition is far at each load, or only until it is copied") {
  CHECK(latencies_from_both_sides(gpu_with_partitions(false)) ==
        std::vector<std::uint32_t>{400, 500, 200, 300, 200, 300, 300, 200, 300, 200, 300, 200});
  CHECK(latencies_from_both_sides(gpu_with_partitions(true)) ==
        std::vector<std::uint32_t>{400, 500, 200, 200, 200, 200, 300, 200, 200, 200, 200, 200});
}

TEST_CASE("a line is at home in the partition that the number of its masks gives modulo their count") {
  Gpu gpu = gpu_with_partitions(false);
  gpu.sm_count = 3;
  gpu.l2.partitions = 3;
  gpu.l2.home_masks = {0x1000, 0x2000, 0x4000};
  REQUIRE_FALSE(violation(gpu));
  for (std::int64_t sm = 0; sm < 3; ++sm) {
    chase::Program program = timed_chase(stride_ring(0x1000, 8), 8);
    program.actors = {{sm, chase::Path::global_cg, 1}};
    const auto latency = run(gpu, program, quiet).traces[0].latency;
    for (std::uint32_t chunk = 0; chunk < 8; ++chunk) CHECK((latency[chunk] == 400) == (chunk % 3 == sm));
  }
}

TEST_CASE("copies of far lines take room in the near partition") {
  Gpu gpu = gpu_with_partitions(true);
  gpu.l2.cache = classical_cache(128, std::vector<std::int64_t>(32, 4));  // 16 KiB per partition
  const auto slowest = [&](std::int64_t bytes) {
    chase::Program program = timed_chase(stride_ring(128, bytes / 128), bytes / 128);
    program.phases.insert(program.phases.begin(), {0, 0, 0, bytes / 64, chase::Timing::untimed});
    return std::ranges::max(run(gpu, program, quiet).traces[0].latency);
  };
  CHECK(slowest(16384) == 200);
  CHECK(slowest(24576) >= 300);
  gpu.l2.replicate = false;
  CHECK(slowest(24576) == 300);
}

TEST_CASE("latency differs by SM and slice within the described spread, and is the same for every program") {
  Gpu gpu = gpu_with_l1(classical_cache(128, {4}));
  gpu.caches.clear();
  gpu.l2.slices = 16;
  gpu.l2.sm_latency_spread = 10;
  chase::Program program = timed_chase(stride_ring(128, 256), 256);
  program.phases.insert(program.phases.begin(), {0, 0, 0, 256, chase::Timing::untimed});
  const auto latencies = run(gpu, program, quiet).traces[0].latency;
  const auto [low, high] = std::ranges::minmax(latencies);
  CHECK(low >= 190);
  CHECK(high <= 210);
  CHECK(high - low >= 8);
  CHECK(Hierarchy(gpu).distances(2) == Hierarchy(gpu).distances(2));
  CHECK(Hierarchy(gpu).distances(2) != Hierarchy(gpu).distances(3));
}

TEST_CASE("a TLB miss costs its penalty beyond a virtually tagged L1, not within") {
  Gpu gpu = gpu_with_l1(classical_cache(128, {4}));
  gpu.translation.tlb = {tlb(chase::array_alignment, {2}, 11)};
  const chase::Ring pages = stride_ring(chase::array_alignment, 3);
  chase::Program program = timed_chase(pages, 6);
  program.actors[0].path = chase::Path::global_cg;
  CHECK(run(gpu, program, quiet).traces[0].latency == std::vector<std::uint32_t>{411, 411, 411, 211, 211, 211});
  program.actors[0].path = chase::Path::global_ca;
  CHECK(run(gpu, program, quiet).traces[0].latency == std::vector<std::uint32_t>{411, 411, 411, 30, 30, 30});
  gpu.caches[0].virtually_tagged = false;
  CHECK(run(gpu, program, quiet).traces[0].latency == std::vector<std::uint32_t>{411, 411, 411, 41, 41, 41});
}

TEST_CASE("the threads of a wide actor cover the whole ring, each its share") {
  const Gpu gpu = gpu_with_l1(classical_cache(128, {64}));
  chase::Program program = timed_chase(stride_ring(128, 50), 50);
  program.actors.push_back({chase::any_sm, chase::Path::global_ca, 7});
  program.phases.insert(program.phases.begin(), {1, 0, 0, 56, chase::Timing::total});
  const chase::Result result = run(gpu, program, quiet);
  CHECK(all_hit(pattern(result)));
  CHECK(result.totals == std::vector<double>{8 * dram_cycles});
}

}  // namespace
}  // namespace tomograph::sim
