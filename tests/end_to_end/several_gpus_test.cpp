#include <algorithm>
#include <csignal>
#include <string>

#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;

namespace {

using Names = std::vector<std::string>;

Ended run_on(const Workspace& workspace, const std::string& devices, const Names& more = {}) {
  Names arguments{"run", "--device", devices, "--only", "l1_data.latency"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return workspace.run(arguments);
}

/// The second of two GPUs has gone when it is to be measured.
const Names small_and_fleeting =
    with_plugins({"run", "--device", "sim:small,fleeting:./mark", "--only", "l1_data.latency"}, {"faulty-device"});

}  // namespace

TEST_CASE("GPUs of a list are measured at the same time, each into files of its own") {
  const Workspace workspace;
  const Ended run = run_on(workspace, "sim:small,small?seed=2,sim:small?seed=3&noise=false",
                           {"--record", "run.rec", "--output", "gpu.toml", "--json"});
  INFO(run.err);
  CHECK(run.exit_code == 0);
  CHECK(workspace.files() == Names{"gpu.sim-small-seed-2.evidence.json", "gpu.sim-small-seed-2.toml",
                                   "gpu.sim-small-seed-3-noise-false.evidence.json",
                                   "gpu.sim-small-seed-3-noise-false.toml", "gpu.sim-small.evidence.json",
                                   "gpu.sim-small.toml", "run.sim-small-seed-2.rec",
                                   "run.sim-small-seed-3-noise-false.rec", "run.sim-small.rec"});
  const Json topologies = Json::parse(run.out);
  REQUIRE(topologies.size() == 3);
  CHECK(topologies[1].at("/provenance/device/parameters/seed"_json_pointer) == 2);
  CHECK(topologies[2].at("/provenance/device/parameters/noise"_json_pointer) == false);
  CHECK_THAT(run.err, ContainsSubstring("sim:small?seed=2: [1/1] data-cache/l1.latency: measured"));
}

TEST_CASE("a GPU of a list that fails does not concern the others, and the worst exit code counts") {
  const Workspace workspace;
  const Ended run = workspace.run(small_and_fleeting);
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.err, ContainsSubstring("fleeting:./mark: tomograph: device fleeting:./mark cannot be opened"));
  CHECK_THAT(run.out, ContainsSubstring("for 1 of 2 GPUs"));
  CHECK(workspace.files() == Names{"mark", "topology.sim-small.evidence.json", "topology.sim-small.toml"});
}

TEST_CASE("a GPU of a list that fails is not overlooked below a parent that ignores how processes end") {
  const Workspace workspace;
  const Ended run = workspace.run_below_careless_parent(small_and_fleeting);
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.out, ContainsSubstring("for 1 of 2 GPUs"));
}

TEST_CASE("Ctrl-C reaches every GPU of a list, and --resume completes each") {
  const Workspace workspace;
  const Names arguments{"run", "--device", "sim:small,sim:small?seed=2", "--only", "l1_data.size"};
  const Ended interrupted = workspace.run_and_signal(arguments, "[1/", SIGINT);
  INFO(interrupted.err);
  CHECK(interrupted.exit_code == 130);
  Names again = arguments;
  again.insert(again.end(), {"--resume", "--require", "l1_data.size"});
  const Ended resumed = workspace.run(again);
  INFO(resumed.err);
  CHECK(resumed.exit_code == 0);
  for (const char* file : {"topology.sim-small.toml", "topology.sim-small-seed-2.toml"}) {
    CHECK(value(shown_topology(workspace, file), "l1_data.size") == 16384);
  }
}

TEST_CASE("a mistake in a list of GPUs is told once, before anything is measured") {
  const Workspace workspace;
  const auto refused = [&](const Ended& run, const std::string& message) {
    CHECK(run.exit_code == 2);
    CHECK_THAT(run.err, ContainsSubstring(message));
    CHECK(std::ranges::count(run.err, '\n') == 1);
    CHECK(workspace.files().empty());
  };
  refused(run_on(workspace, "sim:small,small"), "--device names sim:small twice");
  refused(run_on(workspace, "sim:small,sim:small?sed=2"), "sim has no parameter \"sed\"; did you mean 'seed'?");
  refused(run_on(workspace, "sim:small,smi:small"), "there is no device 'smi'; did you mean 'sim'?");
  refused(run_on(workspace, "sim:small,sim:7"), "there is no sim:7; there are sim:840m");
  refused(run_on(workspace, "cuda:all"), "device 'cuda' has no targets here");
  refused(run_on(workspace, "sim:small,sim:bare", {"--require", "l2.sise"}), "did you mean 'l2.size'?");
}

TEST_CASE("a GPU that is named twice in different ways is told once, before anything is measured") {
  const Workspace workspace;
  std::string text = Workspace::source("plugins/devices/sim/gpus/bare.toml");
  const std::string api = "[api]\n";
  text.replace(text.find(api), api.size(), api + "\"device.uuid\" = \"GPU-1\"\n");
  workspace.write("one.toml", text);
  workspace.write("two.toml", text);
  const Ended twice = run_on(workspace, "sim:./one.toml,sim:small,sim:./two.toml");
  CHECK(twice.exit_code == 2);
  CHECK(twice.err == "tomograph: --device names one GPU twice: sim:./one.toml and sim:./two.toml are GPU-1\n");
  CHECK(workspace.files() == Names{"one.toml", "two.toml"});
}

TEST_CASE("{uuid} in the name of a topology stands for the GPU, and --resume takes what is there") {
  const Workspace workspace;
  const Names here{"--resume", "--output", "{uuid}.toml"};
  CHECK(run_on(workspace, "sim:small?seed=4", here).exit_code == 0);
  CHECK(workspace.files() == Names{"sim-small-seed-4.evidence.json", "sim-small-seed-4.toml"});
  CHECK_THAT(run_on(workspace, "sim:small?seed=4", here).out, ContainsSubstring("0 probes"));
}
