#include "catch.hpp"
#include "tomograph_program.hpp"

namespace {

double number(const Json& topology, const std::string& key) {
  const Json record = fact(topology, key);
  return record.is_null() ? 0 : record.at("value").get<double>();
}

const std::vector<std::string> only_throughput{"--only", "dram.*", "--only", "*.bandwidth.*"};

std::vector<std::string> measuring(const std::string& device) {
  std::vector<std::string> arguments{"run", "--device", device};
  arguments.insert(arguments.end(), only_throughput.begin(), only_throughput.end());
  return arguments;
}

}  // namespace

TEST_CASE("the bandwidths of the small simulated GPU are found as its file describes them") {
  const Workspace workspace;
  CHECK(workspace.run(measuring("sim:small")).exit_code <= 1);
  CHECK(workspace.run({"validate", "topology.toml"}).exit_code == 0);
  const Json found = shown_topology(workspace, "topology.toml");
  CHECK(number(found, "l1_data.bandwidth.read") == Approx(64).epsilon(0.03));
  CHECK(number(found, "read_only.bandwidth.read") == Approx(56).epsilon(0.03));
  CHECK(number(found, "texture.bandwidth.read") == Approx(48).epsilon(0.03));
  CHECK(number(found, "constant_l1.bandwidth.read") == Approx(4).epsilon(0.03));
  // A store goes through to L2, and no faster than the SM's way there.
  CHECK(number(found, "l1_data.bandwidth.write") == Approx(32).epsilon(0.03));
  CHECK(number(found, "l2.bandwidth.read_per_sm") == Approx(32).epsilon(0.03));
  CHECK(number(found, "l2.bandwidth.read") == Approx(96e9).epsilon(0.03));
  CHECK(number(found, "l2.bandwidth.write") == Approx(64e9).epsilon(0.03));
  CHECK(number(found, "l2.bandwidth.copy") == Approx(80e9).epsilon(0.03));
  CHECK(number(found, "dram.bandwidth.read") == Approx(32e9).epsilon(0.03));
  CHECK(number(found, "dram.bandwidth.write") == Approx(28e9).epsilon(0.03));
  CHECK(number(found, "dram.bandwidth.copy") == Approx(30e9).epsilon(0.03));
  CHECK(number(found, "dram.bandwidth.efficiency") == Approx(0.8).epsilon(0.03));
  // 95 % of 32 B per cycle times 440 cycles (near and far alike), within half a warp on each of the four SMs.
  CHECK(number(found, "dram.saturating_bytes_in_flight") == Approx(0.95 * 32 * 440).margin(4 * 256));
}

TEST_CASE("a GPU of whose bandwidth nothing is known leaves it skipped, with the reason") {
  const Workspace workspace;
  std::string text = workspace.source("plugins/devices/sim/gpus/small.toml");
  const auto begin = text.find("[bandwidth]");
  text.erase(begin, text.find("[noise]") - begin);
  workspace.write("plain.toml", text);
  CHECK(workspace.run({"run", "--device", "sim:./plain.toml", "--only", "dram.bandwidth.*"}).exit_code == 0);
  const Json outcome = shown_topology(workspace, "topology.toml").at("outcomes").at("dram.bandwidth.read");
  CHECK(outcome.at("status") == "skipped");
  CHECK(outcome.at("reason").get<std::string>().find("bandwidth") != std::string::npos);
}

TEST_CASE("where L1 does not hold global loads, its bandwidth is absent and all others are measured") {
  const Workspace workspace;
  std::string text = workspace.source("plugins/devices/sim/gpus/small.toml");
  const std::string both = R"(paths = ["global.ca", "global.nc"])";
  text.replace(text.find(both), both.size(), R"(paths = ["global.nc"])");
  workspace.write("plain.toml", text);
  CHECK(workspace.run(measuring("sim:./plain.toml")).exit_code <= 1);
  const Json topology = shown_topology(workspace, "topology.toml");
  CHECK(fact(topology, "l1_data.bandwidth.read").is_null());
  const Json outcome = topology.at("outcomes").at("l1_data.bandwidth.read");
  CHECK(outcome.at("category") == "device");
  CHECK(outcome.at("reason") == "repeated loads take as long as first loads");
  CHECK(number(topology, "dram.bandwidth.read") == Approx(32e9).epsilon(0.03));
}

TEST_CASE("the lookups of an L1 that holds less than the strides between its loads are measured") {
  const Workspace workspace;
  workspace.write("tiny.toml", R"(name = "Tiny"
sm_count = 2
sm_clock_mhz = 1000

[cache.l1]
paths = ["global.ca"]
latency = 30
line_size = 64
sector_size = 32
sets = 4
ways = 4

[l2]
latency = 200
line_size = 64
sector_size = 32
sets = 128
ways = 12

[dram]
latency = 400
size = 4294967296

[timing]
scheduler = "lrr"
schedulers = 4
issue_width = 1
max_warps = 64
max_ctas = 32
l1_mshrs = 128
dram = { bandwidth = 64e9 }
)");
  (void)workspace.run({"run", "--device", "sim:./tiny.toml", "--only", "l1_data.*"});
  const Json topology = shown_topology(workspace, "topology.toml");
  CHECK(topology.at("outcomes").at("l1_data.cycles_by_lines").at("status") == "measured");
}
