// What the host is told about @PLUGIN@, and how its question is put to a device.
#include "tomograph/session/plugin.hpp"

#include <array>
#include <vector>

#include "analysis.hpp"
#include "executor.hpp"

namespace {

struct AtomicLatency {
  static constexpr const char* id = "@PLUGIN@/atomic_latency";
  static constexpr const char* question = "How long does an atomic add on shared memory take?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 10;
  static constexpr std::array provides{tomograph::fact_spec(
      "@KEY@.atomic_latency", TOMOGRAPH_REAL, "cycle", TOMOGRAPH_PER_SM, "Time from one dependent add to the next")};
  static constexpr std::array parameters{
      tomograph::parameter("operations", TOMOGRAPH_INTEGER, "1024", 16, 65536, "Adds in a row")};

  static void run(const tomograph::Session& session) {
    const auto operations = session.parameter<std::int64_t>("operations");
    const tomograph::Arrays answer =
        session.ask({Atomics::experiment,
                     {{"operations", std::vector{operations}}, {"repetitions", std::vector<std::int64_t>{64}}}});

    std::vector<double> cycles;
    const auto totals = tomograph::numbers<std::uint32_t>(answer, "cycles");
    for (const auto total : totals.subspan(1)) cycles.push_back(double(total) / double(operations));
    session.evidence("adds", std::vector<tomograph::NamedArray>{{"latency_cycles", cycles}});
    const Latency latency = typical(cycles);
    session.publish({.key = "@KEY@.atomic_latency",
                     .value = latency.cycles,
                     .method = "median",
                     .confidence = latency.interval.coverage,
                     .interval = tomograph::Interval{latency.interval.low, latency.interval.high},
                     .samples = cycles.size(),
                     .evidence = "adds"});
  }
};

}  // namespace

TOMOGRAPH_PLUGIN("@PLUGIN@", "0.1.0", "Latency of atomic adds on shared memory", tomograph::Probes<AtomicLatency>,
                 tomograph::Devices<>, tomograph::Models<>, tomograph::Executors<Atomics>)
