// Tests of what a device promises to probes.
#include "gpu.hpp"

#include <algorithm>
#include <cstdio>

using namespace tomograph;

namespace {

int failures = 0;

void check(bool holds, const char* promise) {
  if (holds) return;
  std::printf("broken: %s\n", promise);
  ++failures;
}

/// Walks 64 lines twice, single loads.
chase::Program two_walks(chase::Path path) {
  return {.arrays = {{.bytes = 8192}},
          .rings = {{.stride = 128, .count = 64}},
          .actors = {{.path = path}},
          .phases = {{.loads = 64, .timing = chase::Timing::each}, {.loads = 64, .timing = chase::Timing::each}}};
}

bool all(const std::vector<double>& latencies, double cycles) {
  return std::ranges::all_of(latencies, [=](double one) { return one == cycles; });
}

void caches_hold_what_was_loaded() {
  Gpu gpu;
  const auto first = gpu.run(two_walks(chase::Path::global_ca));
  check(all(first.net_latencies(0), 500), "first loads go to memory");
  check(all(first.net_latencies(1), 30), "loads of lines that L1 holds hit there");
  const auto second = gpu.run(two_walks(chase::Path::global_ca));
  check(all(second.net_latencies(0), 200), "a program finds nothing in L1, but what earlier programs left in L2");
  check(all(gpu.run(two_walks(chase::Path::global_cg)).net_latencies(1), 200), "global.cg bypasses L1");
}

void a_total_has_the_overhead_once() {
  Gpu gpu;
  auto program = two_walks(chase::Path::global_ca);
  program.phases[1].timing = chase::Timing::total;
  const auto result = gpu.run(program);
  check(result.totals.front() - result.overhead_total == 64 * 30, "a total has the overhead once");
}

void limits_are_told() {
  auto program = two_walks(chase::Path::global_ca);
  check(Gpu::obstacle(program).empty(), "a small program runs");
  program.phases[0].loads = Gpu::timed_bytes / 8;
  check(!Gpu::obstacle(program).empty(), "more timed loads than are kept are refused");
  program = two_walks(chase::Path::texture);
  check(!Gpu::obstacle(program).empty(), "a path that the GPU lacks is refused");
}

}  // namespace

int main() {
  caches_hold_what_was_loaded();
  a_total_has_the_overhead_once();
  limits_are_told();
  return failures == 0 ? 0 : 1;
}
