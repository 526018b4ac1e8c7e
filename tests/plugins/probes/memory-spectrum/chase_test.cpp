#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "catch.hpp"
#include "sim/simulator.hpp"
#include "spectrum.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::memory_spectrum;

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t l2 = 200;
constexpr std::int64_t dram = 500;
constexpr std::int64_t trials = 3;

/// A quiet GPU of one partition: all loads of a pattern take equally long.
sim::Gpu gpu_with(std::vector<sim::Tlb> tlb) {
  sim::Gpu gpu;
  gpu.sm_count = 4;
  gpu.l2.cache.line_size = gpu.l2.cache.sector_size = gpu.l2.cache.fetch_granularity = 128;
  gpu.l2.cache.set_ways.assign(1024, 16);
  gpu.l2.latency = gpu.l2.far_latency = l2;
  gpu.dram = {dram, dram, std::nullopt};
  gpu.translation.tlb = std::move(tlb);
  return gpu;
}

Known known_of(const sim::Gpu& gpu, std::int64_t memory) {
  Known known{.line = 128, .l2_bytes = 2 * mebibyte, .memory = memory, .sm_count = gpu.sm_count};
  for (const sim::Tlb& level : gpu.translation.tlb) {
    known.tlb.push_back({level.entries.lines(), level.entries.line_size});
  }
  if (gpu.translation.page_window) known.window = gpu.translation.page_window->size;
  return known;
}

Samples measured(const sim::Gpu& gpu, const Known& known) {
  sim::Simulator simulator(gpu, {.noise = false}, 1);
  Samples samples;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    const Chase chase = build(known, trial, trials);
    const std::vector batch{chase::encode(chase.program)};
    const Answer answer = simulator.execute(batch).front();
    if (answer.status != TOMOGRAPH_OK) throw std::runtime_error(answer.reason);
    add(samples, chase, chase::decode_result(chase.program, answer));
  }
  return samples;
}

/// The latencies that occur, each once.
std::set<double> all_of(const Sample& sample) { return {sample.cycles.begin(), sample.cycles.end()}; }

/// Share of loads that take exactly so long.
double share_of(const Sample& sample, double cycles) {
  return static_cast<double>(std::ranges::count(sample.cycles, cycles)) / static_cast<double>(sample.cycles.size());
}

}  // namespace

TEST_CASE("each pattern takes what the data cache and the TLBs that it misses add up to") {
  const sim::Gpu gpu =
      gpu_with({sim::tlb(2 * mebibyte, {16}, 10), sim::tlb(4 * mebibyte, {8, 8, 8, 8, 8, 8, 8, 8}, 90)});
  const Samples samples = measured(gpu, known_of(gpu, 1024 * mebibyte));
  CHECK(all_of(samples[0]) == std::set<double>{l2});
  CHECK(all_of(samples[1]) == std::set<double>{l2 + 10});
  CHECK(all_of(samples[2]) == std::set<double>{l2 + 10 + 90});
  CHECK(all_of(samples[3]) == std::set<double>{dram});
  CHECK(all_of(samples[4]) == std::set<double>{dram + 10 + 90});
  CHECK(samples[5].cycles.empty());
  for (std::size_t i = 0; i < 5; ++i) CHECK(samples[i].cycles.size() > 150);
}

TEST_CASE("the change of the page-table window is seen in pattern P6 alone") {
  sim::Gpu gpu = gpu_with({sim::tlb(2 * mebibyte, {16}, 40), sim::tlb(2 * mebibyte, {17, 8, 8, 8, 8, 8, 8}, 150)});
  gpu.translation.page_window = {.size = 512 * mebibyte, .penalty = 2000};
  const Samples samples = measured(gpu, known_of(gpu, 4096 * mebibyte));
  CHECK(all_of(samples[5]) == std::set<double>{dram + 40 + 150 + 2000});
  CHECK(samples[5].cycles.size() > 1000);
  // The array may begin anywhere in a window, so that its end may lie among the pages that are visited by address.
  CHECK(share_of(samples[4], dram + 40 + 150) > 0.98);
  CHECK(share_of(samples[2], l2 + 40 + 150) > 0.95);
  CHECK(all_of(samples[3]) == std::set<double>{dram});
}

TEST_CASE("the patterns past all caches and TLBs meet each page for the first time, those before have met it") {
  sim::Gpu gpu = gpu_with({sim::tlb(2 * mebibyte, {16}, 40), sim::tlb(2 * mebibyte, {17, 8, 8, 8, 8, 8, 8}, 150)});
  gpu.translation.first_walk_penalty = 300;
  gpu.translation.page_window = {.size = 512 * mebibyte, .penalty = 2000};
  const Samples samples = measured(gpu, known_of(gpu, 4096 * mebibyte));
  CHECK(all_of(samples[1]) == std::set<double>{l2 + 40});
  CHECK(all_of(samples[5]) == std::set<double>{dram + 40 + 150 + 300 + 2000});
  CHECK(share_of(samples[4], dram + 40 + 150 + 300) > 0.98);
  CHECK(share_of(samples[2], l2 + 40 + 150) > 0.95);
}

TEST_CASE("with three levels of TLB the second pattern hits the second, the third misses all") {
  // The middle level has most entries, the last one the largest reach.
  const sim::Gpu gpu = gpu_with(
      {sim::tlb(2 * mebibyte, {16}, 10), sim::tlb(2 * mebibyte, {128}, 50), sim::tlb(32 * mebibyte, {64}, 120)});
  const Samples samples = measured(gpu, known_of(gpu, std::int64_t{16384} * mebibyte));
  CHECK(all_of(samples[1]) == std::set<double>{l2 + 10});
  CHECK(all_of(samples[2]) == std::set<double>{l2 + 10 + 50 + 120});
  CHECK(all_of(samples[4]) == std::set<double>{dram + 10 + 50 + 120});
}

TEST_CASE("a single level of TLB is all levels, and no second one is hit") {
  const sim::Gpu gpu = gpu_with({sim::tlb(2 * mebibyte, {16}, 25)});
  const Samples samples = measured(gpu, known_of(gpu, 512 * mebibyte));
  CHECK(samples[1].cycles.empty());
  CHECK(all_of(samples[2]) == std::set<double>{l2 + 25});
  CHECK(all_of(samples[4]) == std::set<double>{dram + 25});
}

TEST_CASE("without TLBs, or with too little memory to overflow them, hits and misses of the data cache are left") {
  const sim::Gpu without = gpu_with({});
  const sim::Gpu large = gpu_with({sim::tlb(2 * mebibyte, {16}, 10), sim::tlb(2 * mebibyte, {1024}, 90)});
  for (const sim::Gpu* gpu : {&without, &large}) {
    const Samples samples = measured(*gpu, known_of(*gpu, 512 * mebibyte));
    CHECK(all_of(samples[0]) == std::set<double>{l2});
    CHECK(all_of(samples[3]) == std::set<double>{dram});
    for (const std::size_t pattern : {2, 4, 5}) CHECK(samples[pattern].cycles.empty());
  }
}

TEST_CASE("a spectrum of any TLBs and lines is a valid program whose records fit 48 KiB of shared memory") {
  for (const std::int64_t line : {32, 128, 256}) {
    for (const std::int64_t entries : {1, 16, 512}) {
      for (const std::int64_t span : {mebibyte / 16, 2 * mebibyte, 32 * mebibyte}) {
        const Known known{.line = line,
                          .l2_bytes = mebibyte,
                          .memory = std::int64_t{65536} * mebibyte,
                          .sm_count = 132,
                          .tlb = {{entries, span}, {8 * entries, 2 * span}},
                          .window = 1024 * mebibyte};
        CAPTURE(line, entries, span);
        const Chase chase = build(known, 2, trials);
        CHECK_FALSE(chase::violation(chase.program));
        std::map<std::int64_t, std::int64_t> timed;
        for (const chase::Phase& phase : chase.program.phases) {
          const auto sm = chase.program.actors[static_cast<std::size_t>(phase.actor)].sm;
          if (phase.timing == chase::Timing::each) timed[sm] += phase.loads;
        }
        CHECK(timed.size() == 16);
        for (const auto& [sm, loads] : timed) CHECK(loads * 8 < 47 * 1024);
      }
    }
  }
}

TEST_CASE("every SM of a small device takes part once, those of a large one change from trial to trial") {
  Known known{.line = 128, .l2_bytes = mebibyte, .memory = 64 * mebibyte, .sm_count = 3};
  const auto sms = [&](std::int64_t trial) {
    std::set<std::int64_t> numbers;
    const Chase chase = build(known, trial, trials);
    for (const TimedPhase& phase : chase.phases[0]) CHECK(numbers.insert(phase.sm).second);
    return numbers;
  };
  CHECK(sms(0) == std::set<std::int64_t>{0, 1, 2});
  known.sm_count = 132;
  CHECK(sms(0).size() == 16);
  CHECK(sms(0) != sms(1));
}

TEST_CASE("loads that find their line in the data cache after all are none of a miss") {
  Samples samples;
  samples[0] = {std::vector<double>(100, 200), std::vector<std::int64_t>(100, 0)};
  samples[3] = {std::vector<double>(100, 500), std::vector<std::int64_t>(100, 0)};
  samples[3].cycles[7] = 205;
  samples[3].sm[8] = 1;
  samples[4] = {{205, 600}, {0, 0}};
  remove_hits(samples);
  CHECK(samples[3].cycles == std::vector<double>(99, 500));
  CHECK(samples[3].sm[7] == 1);
  // How long a hit takes that misses all TLBs was not seen.
  CHECK(samples[4].cycles.size() == 2);
}

TEST_CASE("SMs that lie far from what walks page tables make memory neither far nor late") {
  Samples samples;
  for (std::int64_t sm = 0; sm < 8; ++sm) {
    const double walk = sm == 7 ? 160 : 90;
    for (int load = 0; load < 128; ++load) {
      samples[2].cycles.push_back(290 + walk + load % 8);
      samples[2].sm.push_back(sm);
      samples[4].cycles.push_back((load % 2 == 0 ? 560 : 740) + walk + load % 8);
      samples[4].sm.push_back(sm);
    }
  }
  const Latency hits = latency_of(samples, 2);
  CHECK(hits.loads.mean == Approx(290 + 90 + 70.0 / 8 + 3.5).margin(0.1));
  CHECK(hits.loads.late.empty());
  CHECK(hits.hits_by_sm.back() == Approx(453.5).margin(0.1));
  CHECK(hits.error(0) == Approx(70.0 / 8).epsilon(0.01));
  const Latency misses = latency_of(samples, 4);
  CHECK(misses.loads.late.empty());
  CHECK(misses.loads.distances.size() == 2);
  CHECK(misses.loads.mean == Approx(650 + 90 + 70.0 / 8 + 3.5).margin(0.1));
}
