#include "issue.hpp"

#include "catch.hpp"
#include "written_trace.hpp"

namespace {

using namespace tomograph::kernel;

ProfiledMachine machine() {
  ProfiledMachine machine;
  machine.latency.fill(4);
  machine.latency[static_cast<std::size_t>(Operation::special)] = 20;
  machine.l1_latency = 30;
  machine.llc_latency = 120;
  machine.memory_latency = 340;
  return machine;
}

std::vector<Interval> intervals(const Warp& warp, const std::vector<AccessCounts>& accesses = {}) {
  return intervals_of(warp, accesses, machine());
}

}  // namespace

TEST_CASE("independent instructions issue one after the other, and the last result ends the warp") {
  Warp warp;
  for (int i = 0; i < 5; ++i) add(warp, Operation::fp32);
  // Issued in cycles 0 to 4, the last one is done in cycle 8: cycles 5, 6 and 7 are the gap.
  CHECK(intervals(warp) == std::vector<Interval>{{.instructions = 5, .stall = 3}});
}

TEST_CASE("an instruction waits for what it needs, which ends an interval") {
  Warp warp;
  add(warp, Operation::fp32);
  add(warp, Operation::fp32, 0);  // in cycle 4
  add(warp, Operation::special);  // in cycle 5, done in 25
  add(warp, Operation::fp32, 2);  // in cycle 25, done in 29
  CHECK(intervals(warp) == std::vector<Interval>{{.instructions = 1, .stall = 3},
                                                 {.instructions = 2, .stall = 19},
                                                 {.instructions = 1, .stall = 3}});
}

TEST_CASE("a gap behind a load counts its misses and says how many warps wait for one") {
  Warp warp;
  add_access(warp, Operation::load, {0, 4, 8, 12});  // four lines of 128 B
  add(warp, Operation::fp32, 0);
  // Over all warps: half of the units missed, in three quarters of the instructions; 100 cycles on average.
  const std::vector<AccessCounts> accesses{
      {.instructions = 4, .units = 16, .misses = 8, .missing = 3, .latency_sum = 400}};
  CHECK(intervals(warp, accesses) ==
        std::vector<Interval>{{.instructions = 1, .stall = 99, .read_misses = 2, .waits_for_miss = 0.75},
                              {.instructions = 1, .stall = 3}});
}

TEST_CASE("the issue of the golden case: a load of 230 cycles after 20 instructions") {
  Warp warp;
  for (int i = 0; i < 20; ++i) add(warp, Operation::integer);
  std::vector<std::uint64_t> lines;
  for (std::uint64_t i = 0; i < 32; ++i) lines.push_back(4 * i);
  add_access(warp, Operation::load, lines);
  std::vector<AccessCounts> accesses(20);
  accesses.push_back({.instructions = 1, .units = 32, .misses = 32, .missing = 1, .latency_sum = 231});
  CHECK(intervals(warp, accesses) ==
        std::vector<Interval>{{.instructions = 21, .stall = 230, .read_misses = 32, .waits_for_miss = 1}});
}

TEST_CASE("the representative warp is the nearest to the centre of the larger cluster") {
  // Warps 0 to 2 are short; of 3 to 7, warp 5 is in the middle.
  const std::vector<WarpShape> warps{{10, 0.2},  {11, 0.21},  {10, 0.22},  {100, 0.50},
                                     {98, 0.48}, {100, 0.52}, {103, 0.55}, {100, 0.54}};
  CHECK(representative(warps) == 5);
  const std::vector<WarpShape> equal(7, {10, 0.5});
  CHECK(representative(equal) == 0);
}
