// What the host learns about @PLUGIN@, and the experiment that it runs.
#include "tomograph/plugin.hpp"

#include "analysis.hpp"

using namespace tomograph;

struct L2Latency {
  static constexpr const char* id = "@PLUGIN@/l2_latency";
  static constexpr const char* question = "How long does a load take that misses L1 and hits L2?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 10;
  static constexpr std::array provides{
      declare::cycles("@KEY@.l2_latency", declare::per_device, "Median latency of a load that hits L2")};
  static constexpr std::array parameters{parameter("lines", TOMOGRAPH_INTEGER, "64", 2, 1024, "Lines to visit")};

  static void run(const Session& session) {
    const auto lines = session.parameter<std::int64_t>("lines");
    // The first pass loads the lines into L2. The next four time each load. global.cg bypasses L1.
    const chase::Program program{.arrays = {{.bytes = lines * 128}},
                                 .rings = {{.stride = 128, .count = lines, .order = chase::Order::shuffled}},
                                 .actors = {{.path = chase::Path::global_cg}},
                                 .phases = {{.loads = lines}, {.loads = 4 * lines, .timing = chase::Timing::each}}};
    const std::vector<double> cycles = session.ask(program).net_latencies();
    session.evidence("loads", {{"latency_cycles", cycles}});
    session.publish(latency_fact("@KEY@.l2_latency", cycles, "loads"));
  }
};

TOMOGRAPH_PLUGIN("@PLUGIN@", "0.1.0", "Latency of the L2 cache", Probes<L2Latency>)
