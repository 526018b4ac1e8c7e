// What the host learns about @PLUGIN@, and the experiment that it runs.
#include "tomograph/plugin.hpp"

#include "analysis.hpp"
#include "executor.hpp"

using namespace tomograph;

struct AtomicLatency {
  static constexpr const char* id = "@PLUGIN@/atomic_latency";
  static constexpr const char* question = "How long does an atomic add on shared memory take?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 10;
  static constexpr std::array provides{
      declare::cycles("@KEY@.atomic_latency", declare::per_sm, "Time from one dependent add to the next")};
  static constexpr std::array parameters{
      parameter("operations", TOMOGRAPH_INTEGER, "1024", 16, 65536, "Adds in a row")};

  static void run(const Session& session) {
    const auto operations = session.parameter<std::int64_t>("operations");
    constexpr std::int64_t repetitions = 64;
    const Arrays answer =
        session.ask(Experiment{Atomics::experiment, {{"operations", operations}, {"repetitions", repetitions}}});
    std::vector<double> cycles;
    // The first repetition also loads the code.
    for (const auto total : numbers<std::uint32_t>(answer, "cycles").subspan(1)) {
      cycles.push_back(double(total) / double(operations));
    }
    session.evidence("adds", {{"latency_cycles", cycles}});
    session.publish(latency_fact("@KEY@.atomic_latency", cycles, "adds"));
  }
};

TOMOGRAPH_PLUGIN("@PLUGIN@", "0.1.0", "Latency of atomic adds on shared memory", Probes<AtomicLatency>, Devices<>,
                 Models<>, Executors<Atomics>)
