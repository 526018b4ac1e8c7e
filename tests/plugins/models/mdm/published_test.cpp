#include "published.hpp"

#include "catch.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::mdm;

/// Table 1 of Wang et al. 2019, with one warp instruction per cycle and SM.
Machine table_1() {
  Machine machine;
  machine.clock_hz = 1.4e9;
  machine.sms = 28;
  machine.issue_width = 1;
  machine.llc_latency = 120;
  machine.dram_latency = 220;
  machine.noc_bandwidth = 1050e9;
  machine.dram_bandwidth = 480e9;
  machine.outstanding_misses = 128;
  return machine;
}

/// 48 warps per SM with 20 compute instructions and one load of 32 lines, of which half miss in the L2.
kernel::Profile golden_case() {
  kernel::Profile profile;
  profile.name = "golden";
  profile.ctas = 28;
  profile.warps_per_cta = 48;
  profile.llc_miss_ratio = 0.5;
  profile.intervals = {{.instructions = 21, .stall = 230, .read_misses = 32, .waits_for_miss = 1}};
  profile.traffic = kernel::traffic_of_intervals(profile);
  return profile;
}

double ipc(Variant variant) { return predict(variant, Scheduler::round_robin, table_1(), golden_case()).ipc; }

auto four_digits(double value) { return Approx(value).epsilon(0.5e-4).scale(value); }
/// Worked by hand to three decimals.
auto three_decimals(double value) { return Approx(value).margin(0.0005); }

/// A machine of round numbers: each miss takes the network 1 cycle and memory 2, an LLC hit 100 cycles, memory 200
/// more.
Machine round_numbers() {
  Machine machine;
  machine.clock_hz = 1e9;
  machine.sms = 2;
  machine.llc_latency = 100;
  machine.dram_latency = 200;
  machine.noc_bandwidth = 100e9;
  machine.dram_bandwidth = 50e9;
  machine.outstanding_misses = 8;
  return machine;
}

kernel::Profile one_interval(double read_misses, double write_misses, double miss_ratio) {
  kernel::Profile profile;
  profile.miss_bytes = 100;
  profile.llc_miss_ratio = miss_ratio;
  profile.intervals = {{.instructions = 10, .stall = 100, .read_misses = read_misses, .write_misses = write_misses}};
  return profile;
}

Contention contention_of(Variant variant, double read_misses, double write_misses, double miss_ratio, double warps) {
  const kernel::Profile profile = one_interval(read_misses, write_misses, miss_ratio);
  return contention(variant, round_numbers(), profile, profile.intervals.front(), warps);
}

}  // namespace

TEST_CASE("the golden case: the five variants' IPC to three decimals") {
  CHECK(ipc(Variant::gpumech) == three_decimals(12.468));
  CHECK(ipc(Variant::gpumech_plus) == three_decimals(4.903));
  CHECK(ipc(Variant::mdm_queue) == three_decimals(2.845));
  CHECK(ipc(Variant::mdm_mshr) == three_decimals(2.677));
  CHECK(ipc(Variant::mdm) == three_decimals(1.548));
}

TEST_CASE("the golden case: MDM's stalls to four digits") {
  const kernel::Profile profile = golden_case();
  const Contention stalls = contention(Variant::mdm, table_1(), profile, profile.intervals.front(), 48);
  CHECK(stalls.noc == four_digits(611.7));
  CHECK(stalls.dram == four_digits(669.0));
  CHECK(stalls.mshr == four_digits(16617.5));
  CHECK(uncontended_latency(table_1(), 0.5) == four_digits(230));
}

TEST_CASE("equation 1: IPC is bounded by what the schedulers issue") {
  kernel::Profile profile = one_interval(0, 0, 0);
  profile.warps_per_cta = 32;
  profile.ctas = 2;
  profile.intervals.front().stall = 0;
  profile.traffic = kernel::traffic_of_intervals(profile);
  Machine machine = round_numbers();
  CHECK(predict(Variant::mdm, Scheduler::round_robin, machine, profile).ipc <= 2);
  // One warp of 10 instructions and a gap of 10 cycles issues every second cycle on each of two SMs.
  profile.warps_per_cta = 1;
  profile.intervals.front().stall = 10;
  profile.traffic = kernel::traffic_of_intervals(profile);
  const PublishedPrediction alone = predict(Variant::mdm, Scheduler::round_robin, machine, profile);
  CHECK(alone.ipc == four_digits(1));
  CHECK(alone.cycles == four_digits(20));
}

TEST_CASE("equations 2 and 3: cycles of one miss follow from clock, bytes, rate and miss ratio") {
  CHECK(noc_service(table_1(), 128) == four_digits(0.170667));
  CHECK(dram_service(table_1(), 128, 0.5) == four_digits(0.186667));
  CHECK(noc_service(round_numbers(), 100) == four_digits(1));
  CHECK(dram_service(round_numbers(), 100, 1) == four_digits(2));
}

TEST_CASE("equation 4: MSHRs bound read misses in flight, but not writes") {
  CHECK(concurrent_misses({.instructions = 1, .read_misses = 3, .write_misses = 2}, 2, 8) == Approx(10));
  CHECK(concurrent_misses({.instructions = 1, .read_misses = 3, .write_misses = 2}, 4, 8) == Approx(16));
}

TEST_CASE("equation 5: a divergent interval waits for all other misses, another for half of them") {
  // 2 SMs with min(4 x 4, 8) misses each.
  CHECK(contention_of(Variant::mdm, 4, 0, 1, 4).noc == four_digits(16));
  CHECK(contention_of(Variant::mdm, 4, 0, 1, 4).dram == four_digits(32));
  CHECK(contention_of(Variant::mdm, 4, 0, 0.5, 4).dram == four_digits(16));
  // 2 SMs with 4 misses each, which is within the 8 MSHRs.
  CHECK(contention_of(Variant::mdm, 1, 0, 1, 4).noc == four_digits(4));
  CHECK(contention_of(Variant::mdm, 1, 0, 1, 4).mshr == 0);
}

TEST_CASE("equations 6 to 8: each batch but the last waits for the latency under contention") {
  // L = 300, S^Mem = 300 + 16 + 32, in ceil(16 / 8) = 2 batches.
  CHECK(contention_of(Variant::mdm, 4, 0, 1, 4).mshr == four_digits(348));
  // 17 misses take 3 batches.
  CHECK(contention_of(Variant::mdm, 17, 0, 1, 1).mshr == four_digits(2 * 348));
}

TEST_CASE("MDM-MSHR halves the queues, and MDM-Queue takes the average wait for MSHRs") {
  // Half queues: S^Mem = 300 + 8 + 16.
  CHECK(contention_of(Variant::mdm_mshr, 4, 0, 1, 4).noc == four_digits(8));
  CHECK(contention_of(Variant::mdm_mshr, 4, 0, 1, 4).mshr == four_digits(324));
  // The mean of ceil(j / 8) for j = 1 .. 16 is 1.5, so half of S^Mem = 348 is waited on average.
  CHECK(contention_of(Variant::mdm_queue, 4, 0, 1, 4).noc == four_digits(16));
  CHECK(contention_of(Variant::mdm_queue, 4, 0, 1, 4).mshr == four_digits(174));
}

TEST_CASE("GPUMech+ halves the queues and takes the average wait for MSHRs") {
  CHECK(contention_of(Variant::gpumech_plus, 4, 0, 1, 4).dram == four_digits(16));
  CHECK(contention_of(Variant::gpumech_plus, 4, 0, 1, 4).mshr == four_digits(162));
}

TEST_CASE("GPUMech has no network, and a queue of memory that turns from M/D/1 to saturation") {
  // 2 SMs x 16 misses, of which 8 each are under way: load 16 x 2 / 300 < 1, so 16/300 x 4 / (2 (1 - 32/300)).
  const Contention light = contention_of(Variant::gpumech, 4, 0, 1, 4);
  CHECK(light.noc == 0);
  CHECK(light.dram == four_digits(16.0 / 300 * 4 / (2 * (1 - 32.0 / 300))));
  CHECK(light.mshr == four_digits(150));
  // With 200 writes per warp, the load is 2 x (8 + 800) x 2 / 300 > 1: half of the requests are before it.
  CHECK(contention_of(Variant::gpumech, 4, 200, 1, 4).dram == four_digits(1616));
}

TEST_CASE("multithreading: instructions of other warps that do not fit in the gaps") {
  Machine machine = round_numbers();
  const kernel::Profile profile = one_interval(0, 0, 0);  // 10 instructions, gap of 100; p = 10 / 110
  // Round robin: p (3 x 9 + max(0, 3 - 100)).
  CHECK(non_overlapped(Scheduler::round_robin, machine, profile, 4).front() == four_digits(27.0 / 11));
  // Greedy: q = min(1, 100 p) = 1, so max(0, 3 x 10 - 100) = 0; with 20 warps 190 - 100.
  CHECK(non_overlapped(Scheduler::greedy_then_oldest, machine, profile, 4).front() == 0);
  CHECK(non_overlapped(Scheduler::greedy_then_oldest, machine, profile, 20).front() == four_digits(90));
}

TEST_CASE("an SM holds no more warps than the kernel has for it") {
  kernel::Profile profile = golden_case();
  Machine machine = table_1();
  profile.warps_per_cta = 8;
  profile.ctas_per_sm = 6;
  profile.ctas = 28 * 6;
  CHECK(resident_warps(machine, profile) == 48);
  profile.ctas = 29;
  CHECK(resident_warps(machine, profile) == 16);
  machine.max_warps_per_sm = 30;
  profile.ctas = 1000;
  CHECK(resident_warps(machine, profile) == 24);
  machine.max_ctas_per_sm = 2;
  CHECK(resident_warps(machine, profile) == 16);
}
