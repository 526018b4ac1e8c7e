#include <numeric>

#include "catch.hpp"
#include "sim/kernel/dram_channel.hpp"
#include "sim/kernel/simulation.hpp"
#include "tomograph/session.hpp"
#include "written_trace.hpp"

namespace {

using namespace tomograph;
using kernel::Operation;
using kernel::Warp;
using sim::timed::Cycle;

/// Two SMs; an L1 hit takes 30 cycles, an L2 hit 100, memory 300. Every line takes a port 4 cycles, and memory 8.
sim::Gpu timed_gpu() {
  sim::Gpu gpu;
  gpu.name = "timed";
  gpu.sm_count = 2;
  gpu.sm_clock_mhz = 1000;
  sim::PrivateCache l1;
  l1.name = "l1";
  l1.paths = {chase::Path::global_ca};
  l1.latency = 30;
  l1.cache.line_size = l1.cache.sector_size = l1.cache.fetch_granularity = 128;
  l1.cache.set_ways.assign(16, 4);
  gpu.caches.push_back(l1);
  gpu.l2.cache = l1.cache;
  gpu.l2.cache.set_ways.assign(256, 8);
  gpu.l2.latency = 100;
  gpu.l2.slices = 2;
  gpu.dram.latency = 300;
  gpu.instructions.emplace();
  gpu.instructions->pipelines[instruction::Type::fp32_fma] = {.completion = 4, .issue = 1};
  gpu.instructions->pipelines[instruction::Type::special] = {.completion = 16, .issue = 8};
  gpu.timing.emplace();
  gpu.timing->noc = {.sm_request = 32, .sm_reply = 32, .slice_reply = 32, .header = 0};
  gpu.timing->dram.bandwidth = 32e9;  // 16 B per cycle of each of two channels
  gpu.timing->dram.row_miss_cycles = 0;
  gpu.timing->dram.turnaround_cycles = 0;
  return gpu;
}

kernel::Launch launch_of(std::uint32_t ctas, std::uint32_t warps, std::uint64_t footprint = 0) {
  return {.name = "test", .ctas = ctas, .warps_per_cta = warps, .ctas_per_sm = 1, .footprint = footprint};
}

using Write = std::function<Warp(std::uint32_t cta, std::uint32_t warp)>;

sim::timed::KernelTimes times(const sim::Gpu& gpu, const kernel::Launch& launch, const Write& write,
                              std::vector<std::int64_t> sms = {0}) {
  REQUIRE_FALSE(violation(gpu));
  const kernel::WrittenTrace trace(launch, write);
  return sim::timed::simulate(gpu, {.trace = &trace, .sms = std::move(sms)});
}

/// A chain of `count` operations.
Warp chain(int count, Operation operation = Operation::fp32) {
  Warp warp;
  for (int i = 0; i < count; ++i) add(warp, operation, i - 1);
  return warp;
}

Warp independent(int count, Operation operation = Operation::fp32) {
  Warp warp;
  for (int i = 0; i < count; ++i) add(warp, operation);
  return warp;
}

std::vector<std::uint64_t> lines_from(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> sectors(count);
  for (std::uint64_t i = 0; i < count; ++i) sectors[i] = 4 * (first + i);
  return sectors;
}

/// Loads of `count` lines each, one after the other, all of them distinct.
Warp loads_in_chain(int loads, std::uint64_t first, std::uint64_t count) {
  Warp warp;
  for (int i = 0; i < loads; ++i)
    add_access(warp, Operation::load, lines_from(first + count * static_cast<std::uint64_t>(i), count), i - 1);
  return warp;
}

constexpr std::uint64_t line = 128;

}  // namespace

TEST_CASE("a chain of instructions takes the sum of their latencies") {
  CHECK(times(timed_gpu(), launch_of(1, 1), [](auto, auto) { return chain(10); }).longest() == 40);
}

TEST_CASE("independent instructions of a warp issue one per cycle, or as many as the issue width") {
  sim::Gpu gpu = timed_gpu();
  const auto alternating = [](auto, auto) {
    Warp warp;
    for (int i = 0; i < 20; ++i) add(warp, i % 2 == 0 ? Operation::fp32 : Operation::integer);
    return warp;
  };
  // The last one issues in cycle 19 and is an integer instruction of one cycle.
  CHECK(times(gpu, launch_of(1, 1), alternating).longest() == 22);
  gpu.timing->issue_width = 2;
  CHECK(times(gpu, launch_of(1, 1), alternating).longest() == 13);
}

TEST_CASE("a pipeline takes one instruction per interval from each scheduler") {
  // The last of 10 issues in cycle 9 x 8 and is done 16 later.
  CHECK(times(timed_gpu(), launch_of(1, 1), [](auto, auto) { return independent(10, Operation::special); }).longest() ==
        9 * 8 + 16);
}

TEST_CASE("warps of different schedulers do not wait for each other, those of one scheduler take turns") {
  const auto ten = [](auto, auto) { return independent(10); };
  CHECK(times(timed_gpu(), launch_of(1, 4), ten).longest() == 13);
  CHECK(times(timed_gpu(), launch_of(1, 8), ten).longest() == 23);
  // Chains of 4 cycles leave room for four warps.
  CHECK(times(timed_gpu(), launch_of(1, 16), [](auto, auto) { return chain(10); }).longest() == 43);
}

TEST_CASE("a lone load takes exactly the latency of the level that serves it") {
  const auto one = [](auto, auto) { return loads_in_chain(1, 0, 1); };
  CHECK(times(timed_gpu(), launch_of(1, 1, 64 * line), one).longest() == 100);
  CHECK(times(timed_gpu(), launch_of(1, 1), one).longest() == 300);
  const auto twice = [](auto, auto) {
    Warp warp = loads_in_chain(1, 0, 1);
    add_access(warp, Operation::load, {0}, 0);
    return warp;
  };
  CHECK(times(timed_gpu(), launch_of(1, 1), twice).longest() == 300 + 30);
}

TEST_CASE("dependent loads take the sum of their latencies") {
  CHECK(times(timed_gpu(), launch_of(1, 1, 64 * line), [](auto, auto) { return loads_in_chain(8, 0, 1); }).longest() ==
        800);
}

TEST_CASE("lines of one load follow each other through the SM's port") {
  // 8 lines: the first after 100 cycles, each further one 4 cycles later.
  CHECK(times(timed_gpu(), launch_of(1, 1, 64 * line), [](auto, auto) { return loads_in_chain(1, 0, 8); }).longest() ==
        100 + 7 * 4);
}

TEST_CASE("saturated, the SM's port sets the pace") {
  const auto write = [](auto, auto warp) { return loads_in_chain(16, 64 * warp, 4); };
  const auto cycles = times(timed_gpu(), launch_of(1, 32, 2048 * line), write).longest();
  const Cycle lines = 32 * 16 * 4;
  CHECK(cycles >= 4 * lines);
  CHECK(cycles < 4 * lines * 11 / 10);
}

TEST_CASE("saturated, memory sets the pace") {
  // 2048 lines of 128 B at 32 B per cycle, from two SMs.
  const auto write = [](auto cta, auto warp) { return loads_in_chain(8, 1024 * cta + 32 * warp, 4); };
  sim::Gpu gpu = timed_gpu();
  const auto cycles = times(gpu, launch_of(2, 32), write, {0, 1}).longest();
  CHECK(cycles >= 2048 * 4);
  CHECK(cycles < 2048 * 4 * 115 / 100);
  gpu.timing->dram.bandwidth = 16e9;
  CHECK(times(gpu, launch_of(2, 32), write, {0, 1}).longest() >= 2 * 2048 * 4);
}

TEST_CASE("misses beyond the MSHRs wait for the replies of others") {
  // 8 misses with 4 MSHRs: two batches of an L2 latency each.
  sim::Gpu gpu = timed_gpu();
  gpu.timing->l1_mshrs = 4;
  const auto cycles =
      times(gpu, launch_of(1, 1, 64 * line), [](auto, auto) { return loads_in_chain(1, 0, 8); }).longest();
  // The fifth line goes out when the first is back.
  CHECK(cycles == 100 + 100 + 3 * 4);
}

TEST_CASE("an atomic whose result nothing needs holds no MSHR") {
  sim::Gpu gpu = timed_gpu();
  gpu.timing->l1_mshrs = 1;
  const auto atomic_and_load = [](bool returns) {
    Warp warp;
    add_access(warp, Operation::atomic, {0});
    warp.instructions.back().returns = returns;
    add_access(warp, Operation::load, {400});
    return warp;
  };
  const auto longest = [&](bool returns) {
    return times(gpu, launch_of(1, 1), [&](auto, auto) { return atomic_and_load(returns); }).longest();
  };
  CHECK(longest(true) >= 2 * 300);
  CHECK(longest(false) < 300 + 100);
}

TEST_CASE("a blocked L1 stops hits, too") {
  sim::Gpu gpu = timed_gpu();
  gpu.timing->l1_mshrs = 1;
  const auto write = [](auto, auto) {
    Warp warp;
    add_access(warp, Operation::load, lines_from(0, 1));     // there after 100 cycles
    add_access(warp, Operation::load, lines_from(1, 2), 0);  // two misses, one MSHR: 200 cycles
    add_access(warp, Operation::load, lines_from(0, 1), 0);  // a hit, behind them
    return warp;
  };
  CHECK(times(gpu, launch_of(1, 1, 64 * line), write).longest() == 300);
  const kernel::WrittenTrace trace(launch_of(1, 1, 64 * line), write);
  const auto timed = sim::timed::simulate(gpu, {.trace = &trace, .sms = {0}, .timed_position = 2, .timed_period = 100});
  CHECK(timed.timed_latency >= 100 + 30);
}

TEST_CASE("misses on a line that is on its way share an MSHR") {
  sim::Gpu gpu = timed_gpu();
  gpu.timing->l1_mshrs = 1;
  const auto same = [](auto, auto) { return loads_in_chain(1, 0, 1); };
  CHECK(times(gpu, launch_of(1, 4, 64 * line), same).longest() == 100);
}

TEST_CASE("a line that waits for an MSHR fetches only the sectors that no reply has brought meanwhile") {
  sim::Gpu gpu = timed_gpu();
  gpu.timing->l1_mshrs = 1;
  for (sim::Cache* const cache : {&gpu.caches.front().cache, &gpu.l2.cache}) {
    cache->sector_size = cache->fetch_granularity = 32;
  }
  const auto write = [](auto, auto) {
    Warp warp;
    add_access(warp, Operation::load, {0});
    add_access(warp, Operation::load, {0, 1});
    return warp;
  };
  // One sector after the other. Two at once would take both ports of the reply one more cycle.
  CHECK(times(gpu, launch_of(1, 1, 64 * line), write).longest() == 100 + 100);
}

TEST_CASE("SMs that saturate a slice get equal shares of it") {
  sim::Gpu gpu = timed_gpu();
  gpu.sm_count = 8;
  const auto write = [](auto cta, auto warp) { return loads_in_chain(16, 64 * (16 * cta + warp) % 2048, 4); };
  std::vector<std::int64_t> sms(8);
  std::iota(sms.begin(), sms.end(), 0);
  const auto cycles = times(gpu, launch_of(8, 16, 2048 * line), write, sms).cycles;
  CHECK(std::ranges::max(cycles) * 95 < std::ranges::min(cycles) * 100);
}

TEST_CASE("row misses slow memory down, and open rows do not") {
  sim::Gpu gpu = timed_gpu();
  gpu.timing->dram.row_miss_cycles = 64;
  gpu.timing->dram.banks = 1;
  const auto sequential = [](auto, auto warp) { return loads_in_chain(4, 16 * warp, 4); };
  const auto far = [](auto, auto warp) {
    Warp all;
    for (int i = 0; i < 4; ++i) {
      std::vector<std::uint64_t> sectors;
      for (std::uint64_t j = 0; j < 4; ++j)
        sectors.push_back(4 * 1000 * (16 * warp + 4 * static_cast<std::uint64_t>(i) + j));
      add_access(all, Operation::load, sectors, i - 1);
    }
    return all;
  };
  const auto near_times = times(gpu, launch_of(1, 32), sequential);
  const auto far_times = times(gpu, launch_of(1, 32), far);
  CHECK(far_times.row_misses == 512);
  CHECK(far_times.row_misses > 3 * near_times.row_misses);
  // 512 lines over two channels: each a row miss of 64 cycles and a burst of 8.
  CHECK(far_times.longest() > 256 * 72 * 8 / 10);
  CHECK(near_times.longest() < far_times.longest() / 2);
}

TEST_CASE("writes take the bandwidth of memory once the L2 is full of them") {
  const auto write = [](auto, auto warp) {
    Warp all;
    for (std::uint64_t i = 0; i < 64; ++i) {
      std::vector<std::uint64_t> sectors(32);
      std::iota(sectors.begin(), sectors.end(), 4 * (512 * warp + 8 * i));
      add_access(all, Operation::store, sectors);
    }
    return all;
  };
  sim::Gpu gpu = timed_gpu();
  gpu.timing->noc.sm_request = 128;
  // 16384 lines; the L2 holds 2048 and the queues some, the others are written back at 32 B per cycle.
  const auto cycles = times(gpu, launch_of(1, 32), write).longest();
  CHECK(cycles > (16384 - 2048 - 512) * 4);
  CHECK(cycles < 16384 * 4);
}

TEST_CASE("a store that fills no sector makes memory bring the rest, once") {
  const auto cycles = [](bool fills, std::uint64_t distance) {
    const auto store = [=](auto, auto warp) {
      Warp all;
      for (std::uint64_t i = 0; i < 64; ++i) {
        add_access(all, Operation::store, lines_from(distance * 32 * (64 * warp + i), 32));
        all.instructions.back().fills_sectors = fills;
      }
      return all;
    };
    sim::Gpu gpu = timed_gpu();
    gpu.l2.cache.set_ways.assign(256, 16);
    return times(gpu, launch_of(1, 2), store).longest();
  };
  // 4096 lines of a sector each: memory brings 128 B for each at 32 B per cycle.
  CHECK(cycles(false, 1) > 4096 * 4);
  CHECK(cycles(true, 1) < 4096 * 4);
  CHECK(cycles(false, 0) < 4096 * 4);
}

TEST_CASE("a barrier waits for all warps of the CTA") {
  const auto write = [](auto, auto warp) {
    Warp all = chain(warp == 0 ? 1 : 100);
    add(all, Operation::barrier, static_cast<std::int32_t>(all.instructions.size()) - 1);
    add(all, Operation::fp32);
    return all;
  };
  // The chain is done in cycle 400, the barrier is left in cycle 401.
  CHECK(times(timed_gpu(), launch_of(1, 2), write).longest() == 405);
}

TEST_CASE("CTAs without a place wait for one") {
  const auto ten = [](auto, auto) { return chain(10); };
  CHECK(times(timed_gpu(), launch_of(3, 1), ten).longest() == 120);
  CHECK(times(timed_gpu(), launch_of(3, 1), ten, {0, 1}).longest() == 80);
}

TEST_CASE("round-robin gives each warp its turn, greedy stays with one as long as it can issue") {
  sim::Gpu gpu = timed_gpu();
  gpu.timing->schedulers = 1;
  const auto write = [](auto, auto warp) {
    Warp all = independent(100);
    if (warp == 0) add_access(all, Operation::load, lines_from(0, 1), 99);
    return all;
  };
  // In turn: the last instruction of warp 0 issues in cycle 199, and its load waits 4 cycles for it.
  CHECK(times(gpu, launch_of(1, 2, 64 * line), write).longest() == 199 + 4 + 100);
  // Greedy: warp 0 issues until cycle 99, then warp 1, which can issue until cycle 199 and keeps its turn.
  gpu.timing->scheduler = sim::WarpScheduler::gto;
  CHECK(times(gpu, launch_of(1, 2, 64 * line), write).longest() == 200 + 100);
}

TEST_CASE("a kernel without [timing], or beyond the SM's warps, is refused as unsupported") {
  const kernel::WrittenTrace trace(launch_of(1, 1), [](auto, auto) { return chain(1); });
  sim::Gpu gpu = timed_gpu();
  gpu.timing->max_warps = 0;
  CHECK_THROWS_AS(sim::timed::simulate(gpu, {.trace = &trace, .sms = {0}}), Refused);
  gpu.timing.reset();
  CHECK_THROWS_AS(sim::timed::simulate(gpu, {.trace = &trace, .sms = {0}}), Refused);
}

TEST_CASE("lines and warps for which the simulator's words have no bits are refused by their key") {
  sim::Gpu gpu = timed_gpu();
  REQUIRE_FALSE(sim::timing_violation(gpu));
  gpu.timing->max_warps = 64 * gpu.timing->schedulers + 1;
  REQUIRE(sim::timing_violation(gpu));
  CHECK(sim::timing_violation(gpu)->key == "timing.max_warps");
  gpu = timed_gpu();
  gpu.l2.cache.line_size = gpu.timing->l2.interleave = gpu.timing->dram.row = 1024;
  REQUIRE(sim::timing_violation(gpu));
  CHECK(sim::timing_violation(gpu)->key == "l2.line_size");
}

TEST_CASE("slices get equal shares of addresses at any stride") {
  for (const std::uint64_t stride : {256U, 512U, 4096U, 6144U, 65536U}) {
    std::vector<int> requests(24);
    for (std::uint64_t i = 0; i < 24000; ++i) ++requests[sim::timed::slice_of(i * stride, 256, 24)];
    CHECK(std::ranges::max(requests) < 1150);
    CHECK(std::ranges::min(requests) > 850);
  }
}
