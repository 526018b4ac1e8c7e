#include "functional_pass.hpp"

#include <numeric>

#include "catch.hpp"
#include "written_trace.hpp"

namespace {

using namespace tomograph::kernel;

/// Two SMs with an L1 of 8 lines and an L2 of 64, of 128 B each.
ProfiledMachine small_machine() {
  ProfiledMachine machine;
  machine.sms = 2;
  machine.max_warps_per_sm = 4;
  machine.l1 = {8 * 128, 128, 8, Replacement::lru};
  machine.llc = {64 * 128, 128, 64, Replacement::lru};
  machine.latency.fill(4);
  machine.l1_latency = 30;
  machine.llc_latency = 120;
  machine.memory_latency = 340;
  return machine;
}

Launch launch(std::uint32_t ctas, std::uint32_t warps, std::uint64_t footprint = 0) {
  return {.name = "test", .ctas = ctas, .warps_per_cta = warps, .ctas_per_sm = 1, .footprint = footprint};
}

/// Loads that touch the lines, one after the other.
Warp loads(const std::vector<std::uint64_t>& lines, Operation operation = Operation::load) {
  Warp warp;
  for (const std::uint64_t line : lines) add_access(warp, operation, {4 * line});
  return warp;
}

}  // namespace

TEST_CASE("a cold line comes from memory, then from the L1 of its SM, and from the L2 for the other SM") {
  // One warp on each SM: both load line 7, and again when they have it. The second SM waits for 400 cycles before.
  const WrittenTrace trace(launch(2, 1), [](auto cta, auto) {
    Warp warp;
    for (std::uint32_t i = 0; i < 100 * cta; ++i) add(warp, Operation::integer, static_cast<std::int32_t>(i) - 1);
    const auto first = static_cast<std::int32_t>(warp.instructions.size());
    add_access(warp, Operation::load, {4 * 7}, first - 1);
    add_access(warp, Operation::load, {4 * 7}, first);
    return warp;
  });
  const FunctionalPass pass = functional_pass(trace, small_machine(), 0, 100);
  CHECK(pass.warps() == 2);
  REQUIRE(pass.accesses.size() == 102);
  CHECK(pass.accesses[0].latency_sum == 340);
  CHECK(pass.accesses[1].latency_sum == 30);
  CHECK(pass.accesses[100].latency_sum == 120);
  CHECK(pass.accesses[101].latency_sum == 30);
  CHECK(pass.llc_misses == 1);
  CHECK(total(pass).memory_reads == 1);
  CHECK(total(pass).l1_accesses == 4);
}

TEST_CASE("a hit takes the banks of the L1 for the most words of a bank, a request that missed for one cycle") {
  const WrittenTrace trace(launch(1, 1), [](auto, auto) {
    Warp warp = loads({7, 7});
    for (auto& instruction : warp.instructions) instruction.bank_words = 16;
    return warp;
  });
  CHECK(total(functional_pass(trace, small_machine(), 0, 100)).l1_passes == 1 + 16);
}

TEST_CASE("who asks for a line that is on its way waits for as long as it still takes") {
  // Two warps of an SM and one of another; the second load of each warp issues a cycle after the first.
  const WrittenTrace trace(launch(2, 2), [](auto, auto) { return loads({7, 7}); });
  const FunctionalPass pass = functional_pass(trace, small_machine(), 0, 100);
  CHECK(total(pass).memory_reads == 1);
  CHECK(total(pass).read_misses == 2);
  CHECK(pass.accesses[0].latency_sum == 4 * 340);
  CHECK(pass.accesses[1].latency_sum == 4 * 339);
  CHECK(total(pass).waits == 4);
  CHECK(total(pass).waiting == 4 * 338);
  CHECK(total(pass).cycles == 4 * 340);
}

TEST_CASE("each warp takes its own time, and a CTA that of its longest") {
  // Warp 1 finds in L1 what warp 0 has loaded before it.
  const WrittenTrace trace(launch(1, 2), [](auto, auto number) {
    Warp warp;
    for (std::uint32_t i = 0; i < 100 * number; ++i) add(warp, Operation::integer, static_cast<std::int32_t>(i) - 1);
    add_access(warp, Operation::load, {0}, static_cast<std::int32_t>(warp.instructions.size()) - 1);
    return warp;
  });
  const FunctionalPass pass = functional_pass(trace, small_machine(), 0, 100);
  CHECK(total(pass).cycles == 340 + 430);
  CHECK(pass.longest_cycles == 430);
  CHECK(profile(trace, small_machine(), 0).imbalance == Approx(430 * 2 / 770.0));
}

TEST_CASE("memory takes as long as was measured for so many bytes") {
  ProfiledMachine machine = small_machine();
  machine.memory_latency_by_bytes = {{256, 400}, {1024, 500}};
  const auto cycles = [&](std::uint64_t lines) {
    Warp warp;
    std::vector<std::uint64_t> sectors(lines);
    for (std::uint64_t i = 0; i < lines; ++i) sectors[i] = 4 * i;
    add_access(warp, Operation::load, sectors);
    const WrittenTrace trace(launch(1, 1), [&](auto, auto) { return warp; });
    return total(functional_pass(trace, machine, 0, 100)).cycles;
  };
  CHECK(cycles(1) == 340);
  CHECK(cycles(2) == 400);
  CHECK(cycles(7) == 400);
  CHECK(cycles(8) == 500);
}

TEST_CASE("warm passes leave the footprint in the last level cache") {
  const WrittenTrace trace(launch(1, 1, 16 * 128), [](auto, auto) { return loads({3, 15}); });
  CHECK(functional_pass(trace, small_machine(), 1, 100).llc_misses == 0);
  CHECK(functional_pass(trace, small_machine(), 0, 100).llc_misses == 2);
}

TEST_CASE("warm passes through a terabyte take no time, and leave its last lines") {
  constexpr std::uint64_t end = (std::uint64_t{1} << 40) / 128;
  const WrittenTrace trace(launch(1, 1, 128 * end), [](auto, auto) { return loads({end - 64, end - 1, end - 65, 0}); });
  CHECK(functional_pass(trace, small_machine(), 3, 100).llc_misses == 2);
}

TEST_CASE("a warm pass leaves half a line where the footprint ends in its middle") {
  Warp warp;
  add_access(warp, Operation::load, {5, 6});
  const WrittenTrace trace(launch(1, 1, 128 + 64), [&](auto, auto) { return warp; });
  ProfiledMachine sectors = small_machine();
  sectors.miss_bytes = 32;
  CHECK(functional_pass(trace, sectors, 1, 100).llc_misses == 1);
}

TEST_CASE("nine lines in turn do not stay in an L1 of eight with LRU") {
  std::vector<std::uint64_t> twice;
  for (std::uint64_t i = 0; i < 18; ++i) twice.push_back(i % 9);
  const WrittenTrace nine(launch(1, 1), [&](auto, auto) { return loads(twice); });
  CHECK(total(functional_pass(nine, small_machine(), 0, 100)).read_misses == 18);
  twice.resize(16);
  for (std::uint64_t i = 0; i < 16; ++i) twice[i] = i % 8;
  const WrittenTrace eight(launch(1, 1), [&](auto, auto) { return loads(twice); });
  CHECK(total(functional_pass(eight, small_machine(), 0, 100)).read_misses == 8);
}

TEST_CASE("lines at any stride use all sets") {
  for (const std::uint64_t stride : {1U, 16U, 64U, 1000U, 4096U}) {
    std::vector<std::uint64_t> twice;
    for (std::uint64_t i = 0; i < 2 * 192; ++i) twice.push_back(i % 192 * stride);
    const WrittenTrace trace(launch(1, 1), [&](auto, auto) { return loads(twice); });
    ProfiledMachine machine = small_machine();
    machine.l1 = {384 * 128, 128, 6, Replacement::lru};
    // Half full: 192 cold misses, and few more in sets that got more than six.
    CHECK(total(functional_pass(trace, machine, 0, 100)).read_misses < 1.2 * 192);
  }
}

TEST_CASE("a load takes as long as its slowest line") {
  Warp warp;
  add_access(warp, Operation::load, {0});
  add_access(warp, Operation::load, {0, 40});
  const WrittenTrace trace(launch(1, 1), [&](auto, auto) { return warp; });
  const FunctionalPass pass = functional_pass(trace, small_machine(), 0, 100);
  CHECK(pass.accesses[1].units == 2);
  CHECK(pass.accesses[1].misses == 1);
  CHECK(pass.accesses[1].missing == 1);
  CHECK(pass.accesses[1].latency_sum == 340);
}

TEST_CASE("stores pass the L1 without allocating, and reach memory when the L2 evicts them") {
  std::vector<std::uint64_t> lines(65);
  std::iota(lines.begin(), lines.end(), std::uint64_t{0});
  const WrittenTrace trace(launch(1, 1), [&](auto, auto) { return loads(lines, Operation::store); });
  const FunctionalPass pass = functional_pass(trace, small_machine(), 0, 100);
  CHECK(total(pass).write_misses == 65);
  CHECK(total(pass).read_misses == 0);
  CHECK(total(pass).memory_writes == 1);
  CHECK(total(pass).memory_reads == 0);
}

TEST_CASE("a store that fills no sector makes memory bring the rest") {
  Warp warp = loads({7}, Operation::store);
  warp.instructions.front().fills_sectors = false;
  const WrittenTrace trace(launch(1, 1), [&](auto, auto) { return warp; });
  const FunctionalPass pass = functional_pass(trace, small_machine(), 0, 100);
  CHECK(total(pass).memory_reads == 1);
  CHECK(total(pass).memory_requests == 1);
}

TEST_CASE("stores of parts of sectors go to memory as soon as modified lines fill the cache") {
  // Room for 64 lines. Each of the last three stores changes line 0, which is there.
  const auto writes_of = [](std::uint64_t lines, bool fills_sectors) {
    Warp warp;
    for (std::uint64_t line = 0; line < lines; ++line) add_access(warp, Operation::store, {4 * line});
    for (int i = 0; i < 3; ++i) {
      add_access(warp, Operation::store, {0});
      warp.instructions.back().fills_sectors = fills_sectors;
    }
    const WrittenTrace trace(launch(1, 1), [&](auto, auto) { return warp; });
    return total(functional_pass(trace, small_machine(), 0, 100)).memory_writes;
  };
  CHECK(writes_of(48, false) == 0);
  CHECK(writes_of(64, false) == 3);
  CHECK(writes_of(64, true) == 0);
}

TEST_CASE("modified sectors go to memory as they were written, a line at a time or one by one") {
  // Room for 64 lines; the last one evicts one of 64, of four modified sectors.
  const auto requests_of = [](bool by_lines) {
    Warp warp;
    for (std::uint64_t sector = 0; sector < 4 * 65; sector += by_lines ? 4 : 1) {
      add_access(warp, Operation::store,
                 by_lines ? std::vector{sector, sector + 1, sector + 2, sector + 3} : std::vector{sector});
    }
    const WrittenTrace trace(launch(1, 1), [&](auto, auto) { return warp; });
    ProfiledMachine machine = small_machine();
    machine.miss_bytes = 32;
    return total(functional_pass(trace, machine, 0, 1000)).memory_write_requests;
  };
  CHECK(requests_of(true) == 1);
  CHECK(requests_of(false) == 4);
}

TEST_CASE("a line that memory takes back counts once, with its modified sectors") {
  std::vector<std::uint64_t> sectors;
  for (std::uint64_t sector = 0; sector < 4 * 65; ++sector) sectors.push_back(sector);
  Warp warp;
  add_access(warp, Operation::store, sectors);
  const WrittenTrace trace(launch(1, 1), [&](auto, auto) { return warp; });
  ProfiledMachine machine = small_machine();
  machine.miss_bytes = 32;
  const FunctionalPass pass = functional_pass(trace, machine, 0, 100);
  CHECK(total(pass).memory_writes == 4);
  CHECK(total(pass).memory_write_requests == 1);
}

TEST_CASE("instructions count by operation, atomics with their sectors and lines") {
  Warp warp;
  add(warp, Operation::fp64);
  add(warp, Operation::integer);
  add_access(warp, Operation::atomic, {0, 1, 8});
  const WrittenTrace trace(launch(2, 1), [&](auto, auto) { return warp; });
  const FunctionalPass pass = functional_pass(trace, small_machine(), 0, 100);
  const auto count = [&](Operation operation) { return total(pass).operations[static_cast<std::size_t>(operation)]; };
  CHECK(count(Operation::fp64) == 2);
  CHECK(count(Operation::integer) == 2);
  CHECK(count(Operation::atomic) == 2);
  CHECK(count(Operation::load) == 0);
  CHECK(total(pass).atomic_sectors == 6);
  CHECK(pass.atomics.size() == 2);
}

TEST_CASE("reductions are told from atomics that return something, and no warp waits for them") {
  Warp warp = loads({0, 8}, Operation::atomic);
  warp.instructions.front().returns = false;
  const WrittenTrace trace(launch(1, 1), [&](auto, auto) { return warp; });
  const WarpTraffic sum = total(functional_pass(trace, small_machine(), 0, 100));
  CHECK(sum.reduction_sectors == 1);
  CHECK(sum.atomic_sectors == 1);
  CHECK(sum.read_misses == 1);
  CHECK(sum.write_misses == 0);
  CHECK(profile(trace, small_machine(), 0).llc_miss_ratio == 1);
}

TEST_CASE("sectors that stores write in part are counted") {
  Warp warp = loads({0, 8, 16}, Operation::store);
  warp.instructions.front().fills_sectors = false;
  const WrittenTrace trace(launch(1, 1), [&](auto, auto) { return warp; });
  const WarpTraffic sum = total(functional_pass(trace, small_machine(), 0, 100));
  CHECK(sum.partial_sectors == 1);
  CHECK(sum.write_misses == 3);
}

TEST_CASE("pages invert the bits of a slice's number, if it depends on the highest bit of a page") {
  constexpr std::uint64_t page = 1 << 21;
  constexpr std::size_t pages = 64;
  const auto slices_of = [&](const SliceFunction& function, std::uint64_t offset) {
    std::vector<std::size_t> count(3);
    for (std::uint64_t i = 0; i < pages; ++i) ++count.at(function(i * page + offset));
    return count;
  };
  const SliceFunction within{.number = {0x80, 0x100}, .divided_by = 3};
  CHECK(slices_of(within, 0) == std::vector<std::size_t>{pages, 0, 0});
  const SliceFunction beyond{.number = {0x100080, 0x100}, .divided_by = 3};
  CHECK(beyond(0x80) == within(0x80));
  // Of the numbers 0 to 3, two have the remainder 0.
  const auto count = slices_of(beyond, 0);
  CHECK(count[0] > pages / 3);
  CHECK(count[1] > pages / 8);
  CHECK(count[2] > pages / 8);
}

TEST_CASE("the slice, or the line, in which most atomics meet is known by its share") {
  // Lines 0, 1, 2, 3 and 5, once each, and line 0 again.
  const WrittenTrace trace(launch(1, 1), [](auto, auto) { return loads({0, 1, 2, 3, 5, 0}, Operation::atomic); });
  ProfiledMachine machine = small_machine();
  CHECK(profile(trace, machine, 0).busiest_atomics == Approx(2 / 6.0));
  // Three slices by the remainder of the line's number: lines 0, 0 and 3 meet.
  machine.llc_slice = {.number = {0x80, 0x100, 0x200}, .divided_by = 3};
  CHECK(profile(trace, machine, 0).busiest_atomics == Approx(3 / 6.0));
  // Two slices by the parity of the number: lines 0, 0, 3 and 5.
  machine.llc_slice = {.parities = {0x380}};
  CHECK(profile(trace, machine, 0).busiest_atomics == Approx(4 / 6.0));
}

TEST_CASE("loads past the L1 are counted by slice if slices are known") {
  // Line 0 hits the L1 the second time.
  const WrittenTrace trace(launch(1, 1), [](auto, auto) { return loads({0, 1, 2, 3, 5, 0}); });
  ProfiledMachine machine = small_machine();
  CHECK(profile(trace, machine, 0).busiest_loads == 0);
  machine.llc_slice = {.number = {0x80, 0x100, 0x200}, .divided_by = 3};
  machine.llc_slices = 3;
  CHECK(profile(trace, machine, 0).busiest_loads == Approx(2 / 5.0));
}

TEST_CASE("stores are counted by slice, over which a hash spreads lines if only the number of slices is known") {
  std::vector<std::uint64_t> lines(512);
  std::iota(lines.begin(), lines.end(), std::uint64_t{0});
  const WrittenTrace trace(launch(1, 1), [&](auto, auto) { return loads(lines, Operation::store); });
  ProfiledMachine machine = small_machine();
  CHECK(profile(trace, machine, 0).busiest_stores == Approx(1 / 512.0));
  machine.llc_slices = 4;
  const double busiest = profile(trace, machine, 0).busiest_stores;
  CHECK(busiest >= 1 / 4.0);
  CHECK(busiest < 1 / 3.0);
  CHECK(profile(trace, machine, 0).busiest_atomics == 0);
}

TEST_CASE("the other partition of the L2 is far, until the own one has a copy") {
  // Each of two SMs, in partitions of their own, loads 32 lines twice.
  std::vector<std::uint64_t> lines(32);
  std::iota(lines.begin(), lines.end(), std::uint64_t{0});
  lines.insert(lines.end(), lines.begin(), lines.end());
  const WrittenTrace trace(launch(2, 1, 32 * 128), [&](auto, auto) { return loads(lines); });
  ProfiledMachine machine = small_machine();
  machine.l1.size = 0;
  machine.llc_partitions = 2;
  machine.llc_far_latency = 200;
  const auto far_of = [&](std::size_t first) {
    double far = 0;
    const FunctionalPass pass = functional_pass(trace, machine, 1, 100);
    for (std::size_t i = first; i < first + 32; ++i) far += (pass.accesses[i].latency_sum - 2 * 120) / 80;
    return far;
  };
  // Each line is far from one of the SMs.
  CHECK(far_of(0) == 32);
  CHECK(far_of(32) == 32);
  machine.llc_keeps_copies = true;
  // The warm pass has read some from afar.
  CHECK(far_of(0) > 8);
  CHECK(far_of(0) < 24);
  CHECK(far_of(32) == 0);
}

TEST_CASE("partitions that keep copies hold half as many lines that all SMs read") {
  // Each of two SMs, in partitions of their own, loads 48 lines twice. The L2 has room for 64.
  std::vector<std::uint64_t> lines(48);
  std::iota(lines.begin(), lines.end(), std::uint64_t{0});
  lines.insert(lines.end(), lines.begin(), lines.end());
  const WrittenTrace trace(launch(2, 1), [&](auto, auto) { return loads(lines); });
  ProfiledMachine machine = small_machine();
  machine.l1.size = 0;
  machine.llc_partitions = 2;
  CHECK(total(functional_pass(trace, machine, 0, 100)).memory_reads == 48);
  machine.llc_keeps_copies = true;
  CHECK(total(functional_pass(trace, machine, 0, 100)).memory_reads == 96);
  // Writes leave no copies.
  const WrittenTrace writes(launch(2, 1), [&](auto, auto) { return loads(lines, Operation::atomic); });
  CHECK(total(functional_pass(writes, machine, 0, 100)).memory_reads == 48);
}

TEST_CASE("a write goes to the home of its line, though the partition of the SM has a copy") {
  const WrittenTrace trace(launch(2, 1, 128), [](auto, auto) {
    Warp warp;
    add_access(warp, Operation::load, {0});
    add_access(warp, Operation::atomic, {0}, 0);
    return warp;
  });
  ProfiledMachine machine = small_machine();
  machine.llc_partitions = 2;
  machine.llc_far_latency = 200;
  machine.llc_keeps_copies = true;
  const FunctionalPass pass = functional_pass(trace, machine, 1, 100);
  CHECK(pass.accesses[1].latency_sum == 120 + 200);  // one SM is at home
}

TEST_CASE("sectors of one line are one request, and a miss each where the L1 fetches sectors") {
  Warp warp;
  add_access(warp, Operation::load, {0, 1, 2, 3, 8});
  const WrittenTrace trace(launch(1, 1), [&](auto, auto) { return warp; });
  ProfiledMachine sectors = small_machine();
  sectors.miss_bytes = 32;
  const FunctionalPass pass = functional_pass(trace, sectors, 0, 100);
  CHECK(total(pass).read_misses == 5);
  CHECK(total(pass).read_requests == 2);
  CHECK(total(pass).memory_requests == 2);
  CHECK(total(functional_pass(trace, small_machine(), 0, 100)).read_misses == 2);
}

TEST_CASE("what finds the caches cold is told apart by iterations, in CTAs that start together") {
  // Three CTAs in two places. Each loads line 7, four times.
  Launch loop = launch(3, 1);
  loop.iterations = 4;
  const WrittenTrace trace(loop, [](auto, auto) { return loads({7, 7, 7, 7}); });
  const FunctionalPass pass = functional_pass(trace, small_machine(), 0, 100);
  REQUIRE(pass.first.size() == 4);
  CHECK(pass.first[0].instructions == 2);
  CHECK(pass.first[0].read_misses == 2);
  CHECK(pass.first[1].read_misses + pass.first[2].read_misses + pass.first[3].read_misses == 0);
  CHECK(pass.later_warps == 1);
  CHECK(pass.later.instructions == 4);
  CHECK(pass.later.read_misses == 0);
}

TEST_CASE("CTAs wait for a place, and their warps share the SM's L1") {
  // Four CTAs of two warps on two SMs with one place each; every warp of CTA c loads line c / 2.
  const WrittenTrace trace(launch(4, 2), [](auto cta, auto) { return loads({cta / 2}); });
  const FunctionalPass pass = functional_pass(trace, small_machine(), 0, 100);
  CHECK(pass.warps() == 8);
  CHECK(total(pass).read_misses == 4);
  CHECK(pass.llc_misses == 2);
  CHECK(functional_pass(trace, small_machine(), 0, 3).warps() == 4);
}

TEST_CASE("the profile of a divergent loop has its misses, its miss ratio and its means") {
  // Each warp: an instruction, a load of four cold lines of its own, and its use.
  const WrittenTrace trace(launch(2, 2), [](auto cta, auto number) {
    Warp warp;
    const std::uint64_t first = 16 * (2 * cta + number);
    add(warp, Operation::integer);
    add_access(warp, Operation::load, {first, first + 4, first + 8, first + 12}, 0);
    add(warp, Operation::fp32, 1);
    return warp;
  });
  const Profile found = profile(trace, small_machine(), 0);
  CHECK(found.llc_miss_ratio == 1);
  CHECK(found.traffic.instructions == 3);
  CHECK(found.traffic.read_misses == 4);
  CHECK(found.traffic.memory_requests == 4);
  // Issued in cycles 0, 4 and 344.
  CHECK(found.intervals ==
        std::vector<Interval>{{.instructions = 1, .stall = 3},
                              {.instructions = 1, .stall = 339, .read_misses = 4, .waits_for_miss = 1},
                              {.instructions = 1, .stall = 3}});
}

TEST_CASE("a greedy warp goes on until it needs what has missed") {
  // Each of two warps loads a line of its own, adds if `waits`, and loads it again, in an L1 of one line.
  const auto misses = [](bool greedy, bool waits) {
    const WrittenTrace trace(launch(1, 2), [&](auto, auto number) {
      Warp warp;
      add_access(warp, Operation::load, {4 * number});
      add(warp, Operation::fp32, waits ? 0 : Instruction::no_need);
      add_access(warp, Operation::load, {4 * number});
      return warp;
    });
    ProfiledMachine machine = small_machine();
    machine.l1 = {128, 128, 1, Replacement::lru};
    machine.greedy = greedy;
    return total(functional_pass(trace, machine, 0, 100)).read_misses;
  };
  CHECK(misses(false, false) == 4);
  CHECK(misses(true, false) == 2);
  CHECK(misses(true, true) == 4);
}

TEST_CASE("a CTA that does not fit on an SM is refused") {
  const WrittenTrace trace(launch(1, 5), [](auto, auto) { return loads({0}); });
  CHECK_THROWS_WITH(profile(trace, small_machine()), "no CTA of test fits on an SM");
}
