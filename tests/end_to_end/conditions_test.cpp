// What a run says about the state of the device. Simulated GPUs tell what their description says.
#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;

namespace {

/// The GPU "small" with these [[conditions]].
void describe_gpu(const Workspace& workspace, const std::string& conditions) {
  workspace.write("gpu.toml", Workspace::source("plugins/devices/sim/gpus/small.toml") + conditions);
}

/// Conditions that change every 0.15 s for longer than any run takes.
std::string restless() {
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    const bool slow = i % 2 == 1;
    text += "\n[[conditions]]\nafter_s = " + std::to_string(0.15 * i) +
            "\nsm_clock_step_mhz = 15\npower_w = 300\nsm_clock_mhz = " + (slow ? "700" : "1000") +
            "\nthrottle_reasons = [" + (slow ? "\"thermal\"" : "") + "]\nother_processes = " + (slow ? "1" : "0") +
            "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("a clock that steps, throttling and a neighbour in mid-run are findings that name the probes") {
  const Workspace workspace;
  describe_gpu(workspace, restless());
  const Ended run = workspace.run({"run", "--device", "sim:./gpu.toml"});
  CHECK_THAT(run.out, ContainsSubstring("finding: the SM clock stepped ") &&
                          ContainsSubstring(" between 700 MHz and 1 GHz while ") &&
                          ContainsSubstring("finding: the device was slowed down (thermal) while ") &&
                          ContainsSubstring("finding: another program used the device while "));
  CHECK(workspace.run({"validate", "topology.toml"}).exit_code == 0);
  CHECK_THAT(workspace.run({"show"}).out,
             ContainsSubstring("conditions: SM 700 MHz to 1 GHz, 300 W\n") && ContainsSubstring("SM clock stepped"));

  const Json found = shown_topology(workspace);
  const Json& findings = found.at("provenance").at("findings");
  REQUIRE(findings.size() == 3);
  CHECK(found.at("provenance").at("conditions").at("throttle_reasons") == Json{"thermal"});
  const Json evidence = Json::parse(workspace.text("topology.evidence.json")).at("evidence");
  for (const Json& finding : findings) {
    REQUIRE_FALSE(finding.at("probes").empty());
    for (const Json& probe : finding.at("probes")) CHECK(found.at("probes").contains(probe.get<std::string>()));
  }
  const Json& curve = evidence.at(findings[1].at("probes")[0].get<std::string>()).at("conditions");
  CHECK(curve.at("time_s").size() == curve.at("sm_clock_Hz").size());
  const Json shown = Json::parse(workspace.run({"show", "--json"}).out).at("findings");
  CHECK_THAT(shown.at(0).at("message").get<std::string>(), ContainsSubstring("the SM clock stepped"));
}

TEST_CASE("a device that does not tell its conditions has none, and nothing is said about it") {
  const Workspace workspace;
  const Ended run = workspace.run({"run", "--device", "sim:small", "--only", "l1_data.size"});
  CHECK(run.out.find("finding") == std::string::npos);
  const Json provenance = shown_topology(workspace).at("provenance");
  CHECK_FALSE(provenance.contains("conditions"));
  CHECK_FALSE(provenance.contains("findings"));
  CHECK(workspace.run({"show"}).out.find("conditions") == std::string::npos);
}

TEST_CASE("conditions of a simulated GPU must be in the order of time") {
  const Workspace workspace;
  describe_gpu(workspace, "\n[[conditions]]\nafter_s = 2\n\n[[conditions]]\nafter_s = 1\n");
  const Ended run = workspace.run({"run", "--device", "sim:./gpu.toml"});
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.err, ContainsSubstring("conditions: must be in the order of after_s"));
}
