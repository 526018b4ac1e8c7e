#include <string>
#include <vector>

#include "catch.hpp"
#include "tomograph_program.hpp"

namespace {

std::string by_hand(const std::string& key, const std::string& value) {
  return "\n[" + key + "]\nvalue = " + value +
         "\nunit = \"\"\nsource = \"measured\"\nmethod = \"by-hand\"\nprobe = \"test/groups\"\n"
         "scope = \"device\"\nconfidence = 0.99\nsamples = 1\n";
}

}  // namespace

TEST_CASE("each level of SMs reads what its ports carry, and a level that is not known says so") {
  const Workspace workspace;
  std::string gpu = workspace.source("plugins/devices/sim/gpus/small.toml");
  // Two SMs share a port that is narrower than both of them.
  const std::string noise = "\n[noise]";
  gpu.insert(gpu.find(noise), "\n[bandwidth.port]\nrate = 40\nshared_by = 2\n");
  workspace.write("gpu.toml", gpu);
  workspace.write("tomograph.toml", "exclude = [\"data-cache/l2.partition\", \"sm.map\"]\n");
  const auto measure = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"run", "--device", "sim:./gpu.toml", "--config", "tomograph.toml", "--only"});
    return workspace.run(arguments);
  };
  CHECK(measure({"throughput/noc", "--output", "given.toml"}).exit_code == 0);
  workspace.write("given.toml", workspace.text("given.toml") +
                                    by_hand("l2.equal_latency.sm_groups", "[[0, 1], [2, 3]]") +
                                    by_hand("l2.partition.of_sm", "[0, 0, 0, 0]"));
  const Ended run = measure({"throughput/noc.levels", "--given", "given.toml"});
  INFO(run.err);
  CHECK(run.exit_code == 0);
  const Json topology = shown_topology(workspace, "topology.toml");
  CHECK(value(topology, "noc.bandwidth_per_tpc").get<double>() == Approx(40).epsilon(0.03));
  const Json conditions = fact(topology, "noc.bandwidth_per_tpc").at("conditions");
  CHECK(conditions.at("sms") == 2);
  CHECK(conditions.at("groups") == 2);
  CHECK(conditions.at("share_of_sms_alone").get<double>() == Approx(40.0 / 64).epsilon(0.04));
  CHECK(value(topology, "noc.bandwidth_per_partition").get<double>() == Approx(80).epsilon(0.03));
  const Json outcome = topology.at("outcomes").at("noc.bandwidth_per_cpc");
  CHECK(outcome.at("status") == "inconclusive");
  CHECK(outcome.at("reason") == "it is unknown which SMs form a group, since sm.map is not known");
}
