#include "saturation.hpp"

#include <cmath>

#include "catch.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::mdm;

/// A machine in which only issue limits: 10 SMs that issue one instruction per cycle.
Machine unlimited() {
  Machine machine;
  machine.clock_hz = 1e9;
  machine.sms = 10;
  machine.llc_latency = 100;
  machine.dram_latency = 100;
  machine.outstanding_misses = 1e9;
  machine.llc = {1e9, 0, 0};
  machine.dram = {1e9, 0, 0};
  return machine;
}

/// `warps` on each SM, each with `rounds` times 10 instructions and a load of `misses` lines that the L2 serves.
kernel::Profile rounds_of(double misses, std::size_t rounds, std::int64_t warps) {
  kernel::Profile profile;
  profile.ctas = 10;
  profile.warps_per_cta = warps;
  profile.intervals.assign(
      rounds, {.instructions = 10, .stall = 90, .read_misses = misses, .waits_for_miss = misses > 0 ? 1.0 : 0.0});
  profile.traffic = kernel::traffic_of_intervals(profile);
  return profile;
}

auto about(double value, double share) { return Approx(value).epsilon(share).scale(value); }

}  // namespace

TEST_CASE("a lone warp takes its own time") {
  // 1000 rounds of 10 + 90 cycles; starting together adds a part of one.
  const auto alone = predict_saturation(unlimited(), rounds_of(1, 1000, 1));
  CHECK(alone.cycles == about(100'000, 0.002));
  CHECK(std::string(alone.limit) == "latency");
}

TEST_CASE("saturated, the slowest station sets the pace") {
  const kernel::Profile profile = rounds_of(8, 1000, 64);
  Machine machine = unlimited();
  SECTION("issue") {
    // 64 warps x 10 instructions in a round of one per cycle.
    const auto prediction = predict_saturation(machine, profile);
    CHECK(prediction.cycles == about(640'000, 0.02));
    CHECK(std::string(prediction.limit) == "issue");
  }
  SECTION("the port of the SM") {
    machine.sm_requests = 0.5;
    const auto prediction = predict_saturation(machine, profile);
    CHECK(prediction.cycles == about(1000 * 64 * 8 / 0.5, 0.02));
    CHECK(std::string(prediction.limit) == "noc");
  }
  SECTION("the slices, which all SMs share") {
    machine.llc = {4, 0};
    const auto prediction = predict_saturation(machine, profile);
    CHECK(prediction.cycles == about(1000 * 64 * 8 * 10 / 4.0, 0.02));
    CHECK(std::string(prediction.limit) == "l2");
  }
  SECTION("memory, for what the L2 does not have") {
    machine.dram = {1, 0};
    kernel::Profile half = profile;
    half.llc_miss_ratio = 0.5;
    half.traffic = kernel::traffic_of_intervals(half);
    const auto prediction = predict_saturation(machine, half);
    CHECK(prediction.cycles == about(1000 * 64 * 4 * 10, 0.02));
    CHECK(std::string(prediction.limit) == "dram");
  }
  SECTION("misses in flight: 16 of them, each 100 cycles") {
    machine.outstanding_misses = 16;
    const auto prediction = predict_saturation(machine, profile);
    CHECK(prediction.cycles == about(1000 * 64 * 8 / (16 / 100.0), 0.05));
    CHECK(std::string(prediction.limit) == "mshr");
  }
}

TEST_CASE("twice the rate of the limiting station halves the time") {
  const kernel::Profile profile = rounds_of(8, 1000, 64);
  Machine machine = unlimited();
  machine.llc = {1, 0};
  const double once = predict_saturation(machine, profile).cycles;
  machine.llc.gather = 2;
  CHECK(predict_saturation(machine, profile).cycles == about(once / 2, 0.02));
}

TEST_CASE("between latency and rate, the time exceeds both") {
  Machine machine = unlimited();
  machine.llc = {10, 0};
  // Demand of 10 warps x 10 SMs x 1 request / 10 per cycle: 10 of the 100 cycles of a round. At 100 warps both are
  // equal.
  const double light = predict_saturation(machine, rounds_of(1, 1000, 5)).cycles;
  const double turn = predict_saturation(machine, rounds_of(1, 1000, 10)).cycles;
  CHECK(light >= 100'000);
  CHECK(turn >= light);
  CHECK(turn < 2 * 100'000);
}

TEST_CASE("stores that nothing waits for still take the bandwidth") {
  kernel::Profile profile = rounds_of(0, 1000, 64);
  for (kernel::Interval& interval : profile.intervals) interval.write_misses = 32;
  profile.traffic = kernel::traffic_of_intervals(profile);
  Machine machine = unlimited();
  machine.llc = {8, 0};
  CHECK(predict_saturation(machine, profile).cycles == about(1000.0 * 64 * 32 * 10 / 8, 0.02));
}

TEST_CASE("streams are bounded by bytes, gathers by requests") {
  kernel::Profile profile = rounds_of(4, 1000, 64);
  profile.miss_bytes = 32;
  Machine machine = unlimited();
  machine.llc = {10, 100};
  // Far lines: 4 requests per round. In one line: 1 request of 128 bytes.
  CHECK(demands(machine, profile, profile.traffic, 10)[static_cast<std::size_t>(Station::l2)] ==
        about(1000 * 10 * 1.28, 1e-9));
  machine.llc = {1, 100};
  CHECK(demands(machine, profile, profile.traffic, 10)[static_cast<std::size_t>(Station::l2)] ==
        about(1000 * 10 * 4, 1e-9));
  machine.llc = {10, 100};
  profile.traffic.read_requests = profile.traffic.read_misses / 4;
  CHECK(demands(machine, profile, profile.traffic, 10)[static_cast<std::size_t>(Station::l2)] ==
        about(1000 * 10 * 1.28, 1e-9));
}

TEST_CASE("the stack adds up to the prediction") {
  Machine machine = unlimited();
  machine.llc = {4, 0};
  machine.outstanding_misses = 64;
  const auto prediction = predict_saturation(machine, rounds_of(8, 100, 32));
  double sum = prediction.issue + prediction.latency + prediction.imbalance;
  for (const double wait : prediction.waits) sum += wait;
  CHECK(sum == about(prediction.cycles, 1e-6));
}

TEST_CASE("waits follow their equations") {
  CHECK(bulk_wait(10, 0) == 0);
  CHECK(bulk_wait(10, 0.5) == Approx(5));
  CHECK(std::isinf(bulk_wait(10, 1)));
  // One server: u^(2 - 1) / (1 - u) of half the service, which is M/D/1.
  CHECK(parallel_wait(10, 1, 0.5) == Approx(bulk_wait(10, 0.5)));
  CHECK(parallel_wait(10, 7, 0.5) == Approx(10 / 14.0 * std::pow(0.5, 3) / 0.5));
}

TEST_CASE("a measured queueing curve replaces M/D/1, with its own turn beyond the last point") {
  const QueueingCurve curve{{0.1, 0.5, 0.9}, {100, 120, 200}};
  CHECK(measured_wait(curve, 0) == 0);
  CHECK(measured_wait(curve, 0.3) == Approx(10));
  CHECK(measured_wait(curve, 0.9) == Approx(100));
  CHECK(measured_wait(curve, 0.95) == Approx(200));
}

TEST_CASE("no wait is negative where a curve dips below its first latency") {
  const QueueingCurve curve{{0.1, 0.3, 0.5}, {100, 93, 120}};
  CHECK(measured_wait(curve, 0.2) == 0);
  CHECK(measured_wait(curve, 0.3) == 0);
  CHECK(measured_wait(curve, 0.4) == Approx(10));
}

TEST_CASE("work that does not divide evenly among the SMs takes shared parts no longer") {
  Machine machine = unlimited();
  machine.llc = {4, 0};
  kernel::Profile profile = rounds_of(8, 100, 32);
  profile.ctas_per_sm = 2;
  profile.ctas = 11;
  CHECK(predict_saturation(machine, profile).cycles == about(11 * 32 * 100 * 8 / 4.0, 0.05));
}

TEST_CASE("a last wave of few CTAs takes less than a full one") {
  Machine machine = unlimited();
  machine.llc = {4, 0};
  kernel::Profile profile = rounds_of(8, 100, 32);
  profile.ctas_per_sm = 2;
  profile.ctas = 20;
  const double one_wave = predict_saturation(machine, profile).cycles;
  profile.ctas = 30;
  const double and_half = predict_saturation(machine, profile).cycles;
  CHECK(and_half == about(1.5 * one_wave, 0.03));
}

TEST_CASE("partly used lines cost between a request of a gather and a line of a stream") {
  kernel::Profile profile = rounds_of(2, 1000, 64);
  profile.miss_bytes = 32;
  profile.traffic.read_requests = profile.traffic.read_misses / 2;
  Machine machine = unlimited();
  machine.llc = {100, 3200};
  machine.line_bytes = 128;
  // 0.01 cycles for a request of one unit, 0.04 for one of four: 0.02 for two.
  CHECK(demands(machine, profile, profile.traffic, 10)[static_cast<std::size_t>(Station::l2)] ==
        about(1000 * 10 * 0.02, 1e-9));
}

TEST_CASE("instructions occupy the issue, or the units of their operation, whichever take longer") {
  kernel::Profile profile = rounds_of(0, 1000, 64);
  Machine machine = unlimited();
  machine.issue_width = 4;
  machine.unit_cycles[static_cast<std::size_t>(kernel::Operation::integer)] = 0.5;
  profile.traffic.operations[static_cast<std::size_t>(kernel::Operation::integer)] = 4000;
  CHECK(demands(machine, profile, profile.traffic, 10)[static_cast<std::size_t>(Station::issue)] == about(2500, 1e-9));
  profile.traffic.operations[static_cast<std::size_t>(kernel::Operation::integer)] = 8000;
  CHECK(demands(machine, profile, profile.traffic, 10)[static_cast<std::size_t>(Station::issue)] == about(4000, 1e-9));
}

TEST_CASE("atomics take what the L2 executes of them, or what single lines do") {
  kernel::Profile profile = rounds_of(0, 1000, 64);
  profile.traffic.atomic_sectors = 1000;
  Machine machine = unlimited();
  const auto demand = [&] {
    return demands(machine, profile, profile.traffic, 10)[static_cast<std::size_t>(Station::l2)];
  };
  CHECK(demand() == 0);
  machine.llc_atomics = 40;
  CHECK(demand() == about(10 * 25, 1e-9));
  machine.line_atomics = 0.5;
  profile.busiest_atomics = 1 / 1000.0;
  CHECK(demand() == about(10 * 25, 1e-9));
  profile.busiest_atomics = 1 / 8.0;
  CHECK(demand() == about(10 * 250, 1e-9));
}

TEST_CASE("atomics whose results nobody needs have a rate of their own") {
  kernel::Profile profile = rounds_of(0, 1000, 64);
  profile.traffic.atomic_sectors = 1000;
  profile.traffic.reduction_sectors = 3000;
  Machine machine = unlimited();
  machine.llc_atomics = 40;
  machine.llc_reductions = 60;
  CHECK(demands(machine, profile, profile.traffic, 10)[static_cast<std::size_t>(Station::l2)] == about(10 * 75, 1e-9));
}

TEST_CASE("atomics of many slices wait behind those of the busiest one, atomics of one slice do not") {
  kernel::Profile profile = rounds_of(0, 1000, 64);
  profile.traffic.atomic_sectors = 1000;
  Machine machine = unlimited();
  machine.llc_atomics = 40;
  machine.line_atomics = 0.5;
  machine.llc_slices = 16;
  const auto demand = [&] {
    return demands(machine, profile, profile.traffic, 10)[static_cast<std::size_t>(Station::l2)];
  };
  profile.busiest_atomics = 1;
  CHECK(demand() == about(10 * 2000, 1e-9));
  // A switch with 16 outputs passes on 0.60 of what it could (simulated by Karol et al. 1987).
  profile.busiest_atomics = 1 / 16.0;
  CHECK(demand() == about(10 * 125 / 0.60, 0.03));
}

TEST_CASE("scattered stores take a request each, streams their bytes") {
  kernel::Profile profile = rounds_of(0, 1000, 64);
  profile.miss_bytes = 32;
  profile.traffic.write_misses = 4000;
  profile.traffic.write_requests = 1000;
  Machine machine = unlimited();
  machine.llc = {.gather = 80, .write = 2000, .scatter = 40};
  const auto demand = [&] {
    return demands(machine, profile, profile.traffic, 10)[static_cast<std::size_t>(Station::l2)];
  };
  CHECK(demand() == about(10 * 64, 1e-9));
  profile.traffic.write_requests = 4000;
  CHECK(demand() == about(10 * 100, 1e-9));
}

TEST_CASE("sectors that stores write in part take as long as reductions") {
  kernel::Profile profile = rounds_of(0, 1000, 64);
  profile.miss_bytes = 32;
  profile.traffic.write_misses = 4000;
  profile.traffic.write_requests = 1000;
  Machine machine = unlimited();
  machine.llc = {.gather = 80, .write = 2000, .scatter = 40};
  machine.llc_reductions = 50;
  const auto demand = [&] {
    return demands(machine, profile, profile.traffic, 10)[static_cast<std::size_t>(Station::l2)];
  };
  CHECK(demand() == about(10 * 64, 1e-9));
  profile.traffic.partial_sectors = 4000;
  CHECK(demand() == about(10 * 80, 1e-9));
}

TEST_CASE("loads, or stores, take as long as those of the busiest slice") {
  kernel::Profile profile = rounds_of(0, 1000, 64);
  profile.miss_bytes = 32;
  Machine machine = unlimited();
  machine.llc = {.gather = 80, .write = 2000, .scatter = 40};
  const bool are_loads = GENERATE(false, true);
  (are_loads ? profile.traffic.read_misses : profile.traffic.write_misses) = are_loads ? 8000 : 4000;
  (are_loads ? profile.traffic.read_requests : profile.traffic.write_requests) = are_loads ? 8000 : 4000;
  (are_loads ? profile.busiest_loads : profile.busiest_stores) = 1 / 8.0;
  const auto demand = [&] {
    return demands(machine, profile, profile.traffic, 10)[static_cast<std::size_t>(Station::l2)];
  };
  CHECK(demand() == about(10 * 100, 1e-9));
  machine.llc_slices = 8;
  CHECK(demand() == about(10 * 100, 1e-9));
  machine.llc_slices = 32;
  CHECK(demand() == about(10 * 400, 1e-9));
}

TEST_CASE("a store takes proportionally longer the more of a line it writes") {
  kernel::Profile profile = rounds_of(0, 1000, 64);
  profile.miss_bytes = 32;
  Machine machine = unlimited();
  machine.line_bytes = 128;
  machine.llc = {.gather = 80, .write = 2000, .scatter = 40};
  profile.traffic.write_requests = 1000;
  const auto demand_of_sectors = [&](double sectors) {
    profile.traffic.write_misses = 1000 * sectors;
    return demands(machine, profile, profile.traffic, 10)[static_cast<std::size_t>(Station::l2)];
  };
  CHECK(demand_of_sectors(1) == about(10 * 25, 1e-9));
  CHECK(demand_of_sectors(2) == about(10 * (25 + 13), 1e-9));
  CHECK(demand_of_sectors(4) == about(10 * 64, 1e-9));
}

TEST_CASE("starting together costs at most the wait for the first data") {
  // A load at the begin, then 10,000 instructions that wait for nothing of memory.
  kernel::Profile profile;
  profile.ctas = 10;
  profile.warps_per_cta = 8;
  profile.intervals = {{.instructions = 1, .stall = 99, .read_misses = 1, .waits_for_miss = 1},
                       {.instructions = 10'000, .stall = 0}};
  profile.traffic = kernel::traffic_of_intervals(profile);
  CHECK(predict_saturation(unlimited(), profile).cycles == about(80'000, 0.1));
}

TEST_CASE("loads occupy the L1 for its lookups or for its banks, whichever take longer") {
  kernel::Profile profile = rounds_of(8, 1000, 64);
  Machine machine = unlimited();
  machine.l1_lines = 4;
  profile.traffic.l1_passes = 1000;
  CHECK(demands(machine, profile, profile.traffic, 10)[static_cast<std::size_t>(Station::l1)] == about(2000, 1e-9));
  profile.traffic.l1_passes = 16'000;
  CHECK(demands(machine, profile, profile.traffic, 10)[static_cast<std::size_t>(Station::l1)] == about(16'000, 1e-9));
}

TEST_CASE("short CTAs take as long as they take to start") {
  Machine machine = unlimited();
  machine.issue_width = 4;
  machine.launch = {.warps = {1, 8}, .cycles = {2, 4}};
  kernel::Profile profile = rounds_of(1, 1, 8);
  profile.ctas = 100'000;
  profile.ctas_per_sm = 8;
  const auto prediction = predict_saturation(machine, profile);
  CHECK(prediction.cycles == about(4 * 100'000, 0.02));
  CHECK(std::string(prediction.limit) == "launch");
}

TEST_CASE("starts of CTAs lie between the measured sizes, and in proportion beyond them") {
  const CtaLaunch launch{.warps = {2, 8}, .cycles = {1, 4}};
  CHECK(launch.cycles_of(1) == 1);
  CHECK(launch.cycles_of(4) == Approx(2));
  CHECK(launch.cycles_of(16) == Approx(8));
  CHECK(CtaLaunch{}.cycles_of(8) == 0);
}

TEST_CASE("between two CTAs of a place lies a turnover, but none after the last") {
  Machine machine = unlimited();
  kernel::Profile profile = rounds_of(1, 10, 1);
  profile.ctas = 100;
  const double without = predict_saturation(machine, profile).cycles;
  machine.launch.turnover = 500;
  CHECK(predict_saturation(machine, profile).cycles == about(without + 9 * 500, 1e-9));
}

TEST_CASE("a turnover does not shorten the last wave where a station is saturated") {
  Machine machine = unlimited();
  const kernel::Profile profile = rounds_of(0, 10, 64);
  const double without = predict_saturation(machine, profile).cycles;
  machine.launch.turnover = 500;
  CHECK(predict_saturation(machine, profile).cycles == about(without, 1e-9));
}

TEST_CASE("parts of the first iterations follow each other, each at its own slowest station") {
  Machine machine = unlimited();
  machine.sm_requests = 0.1;
  kernel::Profile profile = rounds_of(1, 1000, 64);
  kernel::WarpTraffic cold = profile.traffic;
  kernel::WarpTraffic warm = rounds_of(0, 1000, 64).traffic;
  cold.read_requests *= 2;
  cold.read_misses *= 2;
  profile.first_parts = {cold, warm};
  CHECK(predict_saturation(machine, profile).cycles == about(64 * (2000 / 0.1 + 10'000), 0.02));
}

TEST_CASE("a CTA takes as long as its longest warp") {
  const Machine machine = unlimited();
  kernel::Profile profile = rounds_of(1, 1000, 1);
  const double even = predict_saturation(machine, profile).cycles;
  profile.imbalance = 1.5;
  CHECK(predict_saturation(machine, profile).cycles == about(1.5 * even, 0.01));
}
