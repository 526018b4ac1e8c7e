// What the host learns about @PLUGIN@, and what it computes from other facts.
#include "tomograph/plugin.hpp"

using namespace tomograph;

struct L2Time {
  static constexpr const char* id = "@PLUGIN@/l2_time";
  static constexpr const char* question = "How many seconds does a load take that misses L1 and hits L2?";
  static constexpr double time_budget = 10;
  static constexpr std::array needs{need("l2.latency"), need("device.sm_clock")};
  static constexpr std::array provides{fact_spec("@KEY@.l2_time", TOMOGRAPH_REAL, "s", declare::per_device,
                                                 "Time of a load that hits L2, at the SM's highest clock")};

  static void run(const Session& session) {
    const Value latency = session.fact_record("l2.latency").value();
    const auto clock = session.needed<double>("device.sm_clock");
    Fact time{.key = "@KEY@.l2_time",
              .value = latency.at("value").get<double>() / clock,
              .method = "quotient",
              .confidence = latency.at("confidence").get<double>(),
              .source = TOMOGRAPH_DERIVED};
    if (latency.contains("interval")) {
      const auto cycles = latency.at("interval").get<std::vector<double>>();
      time.interval = {cycles[0] / clock, cycles[1] / clock};
    }
    session.publish(time);
  }
};

TOMOGRAPH_PLUGIN("@PLUGIN@", "0.1.0", "Time of a load that hits L2", Models<L2Time>)
