#include "reporting/summary.hpp"

#include <vector>

#include "catch.hpp"
#include "topology/merge.hpp"

using namespace tomograph::host;

TEST_CASE("the summary shows each probe with outcome, time, facts and reason, in the order of the run") {
  Topology topology;
  FactRecord fact;
  fact.value = 128;
  fact.probe = "data-cache/l1.line";
  add_fact(topology, "l1_data.line_size", fact);
  topology.probes["data-cache/l1.line"] = {
      .status = OutcomeStatus::measured, .reason = {}, .seconds = 0.25, .experiments = 3};
  topology.probes["a/b"] = {.status = OutcomeStatus::crashed, .reason = "signal 11", .seconds = 1, .experiments = 0};
  const std::vector<std::string> order{"data-cache/l1.line", "a/b", "never/begun"};
  CHECK(run_summary(topology, order) ==
        "probe               outcome        seconds  facts\n"
        "data-cache/l1.line  measured         0.250      1\n"
        "a/b                 crashed          1.000      0  signal 11\n"
        "all                                  1.250      1\n");
  CHECK(probe_counts(topology, order) == "3 probes: 1 measured, 1 crashed");
}
