// What the host is told about @PLUGIN@, and how its question is put to a device.
#include "tomograph/session/plugin.hpp"

#include <array>
#include <vector>

#include "analysis.hpp"

namespace {

namespace chase = tomograph::chase;

struct L2Latency {
  static constexpr const char* id = "@PLUGIN@/l2_latency";
  static constexpr const char* question = "How long does a load take that misses L1 and hits L2?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 10;
  static constexpr std::array provides{tomograph::fact_spec(
      "@KEY@.l2_latency", TOMOGRAPH_REAL, "cycle", TOMOGRAPH_PER_DEVICE, "Median latency of a load that hits L2")};
  static constexpr std::array parameters{
      tomograph::parameter("lines", TOMOGRAPH_INTEGER, "64", 2, 1024, "Lines to visit")};

  static void run(const tomograph::Session& session) {
    const auto lines = session.parameter<std::int64_t>("lines");
    // Warm the lines, then follow the ring again and time each load. global.cg goes past L1.
    const chase::Program program{.arrays = {{.bytes = lines * 128}},
                                 .rings = {{.stride = 128, .count = lines, .order = chase::Order::shuffled}},
                                 .actors = {{.path = chase::Path::global_cg}},
                                 .phases = {{.loads = lines}, {.loads = 4 * lines, .timing = chase::Timing::each}}};
    const chase::Result result = session.ask(program);

    std::vector<double> cycles;
    for (const auto raw : result.traces.front().latency) cycles.push_back(raw - result.overhead_each);
    session.evidence("loads", std::vector<tomograph::NamedArray>{{"latency_cycles", cycles}});
    const Latency latency = typical(cycles);
    session.publish({.key = "@KEY@.l2_latency",
                     .value = latency.cycles,
                     .method = "median",
                     .confidence = latency.interval.coverage,
                     .interval = tomograph::Interval{latency.interval.low, latency.interval.high},
                     .samples = cycles.size(),
                     .evidence = "loads"});
  }
};

}  // namespace

TOMOGRAPH_PLUGIN("@PLUGIN@", "0.1.0", "Latency of the L2 cache", tomograph::Probes<L2Latency>)
