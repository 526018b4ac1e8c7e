#include <algorithm>
#include <string>

#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;

namespace {

using Names = std::vector<std::string>;

/// Measures eight simulated GPUs of one kind, of which the last has an L2 that is 4 % slow. Returns the topologies.
Names measured_fleet(const Workspace& workspace) {
  std::string text = Workspace::source("plugins/devices/sim/gpus/small.toml");
  const std::string latency = "latency = 200\nfar_latency = 280";
  text.replace(text.find(latency), latency.size(), "latency = 208\nfar_latency = 291");
  workspace.write("slow.toml", text);
  std::string devices = "sim:./slow.toml?seed=8";
  for (int seed = 1; seed < 8; ++seed) devices += ",sim:small?seed=" + std::to_string(seed);
  const Ended run = workspace.run({"run", "--device", devices, "--only", "l1_data.latency", "--only", "l2.latency*"});
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  Names topologies{"topology.sim-slow-toml-seed-8.toml"};
  for (int seed = 1; seed < 8; ++seed)
    topologies.push_back("topology.sim-small-seed-" + std::to_string(seed) + ".toml");
  return topologies;
}

Ended fleet(const Workspace& workspace, const Names& files, const Names& more = {}) {
  Names arguments{"fleet"};
  arguments.insert(arguments.end(), files.begin(), files.end());
  arguments.insert(arguments.end(), more.begin(), more.end());
  return workspace.run(arguments);
}

}  // namespace

TEST_CASE("of eight GPUs the one that is 4 % slow is named with the reason, also beside files that are no topologies") {
  const Workspace workspace;
  Names files = measured_fleet(workspace);
  const Ended found = fleet(workspace, files, {"--json"});
  INFO(found.err);
  CHECK(found.exit_code == 1);
  const Json odd = Json::parse(found.out).at("odd");
  REQUIRE(odd.size() == 1);
  CHECK_THAT(odd[0].at("gpu").get<std::string>(), ContainsSubstring("slow.toml"));
  CHECK_THAT(odd[0].at("reason").get<std::string>(), ContainsSubstring(" % higher than the median of 8 Small"));
  CHECK(workspace.run({"validate", "fleet.toml"}).exit_code == 0);

  const std::string before = workspace.text("fleet.toml");
  std::ranges::reverse(files);
  CHECK_THAT(fleet(workspace, files).out, ContainsSubstring("is odd: l"));
  CHECK(workspace.text("fleet.toml") == before);
  CHECK(fleet(workspace, {files.begin(), files.end() - 1}).exit_code == 0);

  const std::string text = workspace.text(files[0]);
  workspace.write("garbage.toml",
                  "\x7f"
                  "ELF\n");
  workspace.write("truncated.toml", text.substr(0, text.find("scope") + 3));
  workspace.write("twice.toml", text);
  workspace.write("version.toml", "schema_version = 7\n" + text.substr(text.find("\n[provenance]")));
  Names with_bad = files;
  with_bad.insert(with_bad.end(), {"garbage.toml", "truncated.toml", "twice.toml", "version.toml", "none.toml"});
  const Ended judged = fleet(workspace, with_bad);
  CHECK(judged.exit_code == 1);
  CHECK(std::ranges::count(judged.err, '\n') == 5);
  for (const char* name : {"garbage.toml", "truncated.toml", "version.toml", "none.toml"}) {
    CHECK_THAT(judged.err, ContainsSubstring(std::string(name) + " does not count: "));
  }
  CHECK_THAT(judged.err, ContainsSubstring("garbage.toml does not count: line 1:1: malformed TOML"));
  CHECK_THAT(judged.err, ContainsSubstring("it describes the same GPU (") && ContainsSubstring("as new or newer"));
  CHECK_THAT(judged.out, ContainsSubstring("8 x Small") && ContainsSubstring("slow.toml"));
}

TEST_CASE("GPUs that are too few to be compared are not called sound, and no false alarms are spoken of") {
  const Workspace workspace;
  const Ended one = fleet(workspace, {TOMOGRAPH_SOURCE_DIR "/tests/recordings/h200.toml"});
  CHECK(one.exit_code == 0);
  CHECK(one.out == "1 NVIDIA H200: not compared, at least 3 are needed\nno GPU was compared\nwritten: fleet.toml\n");
}

TEST_CASE("a confidence that show refuses counts in no fleet either") {
  const Workspace workspace;
  std::string text = Workspace::source("tests/recordings/h200.toml");
  const std::size_t at = text.find("\nconfidence = ");
  workspace.write("t.toml", text.replace(at, text.find('\n', at + 1) - at, "\nconfidence = 1.7"));
  CHECK(workspace.run({"show", "t.toml"}).exit_code == 2);
  const Ended ended = fleet(workspace, {"t.toml"});
  CHECK(ended.exit_code == 2);
  CHECK_THAT(ended.err, ContainsSubstring("t.toml does not count: ") && ContainsSubstring("found 1.7"));
}

TEST_CASE("fleet refuses bad usage with exit code 2 and writes nothing") {
  const Workspace workspace;
  workspace.write("garbage.toml", "?");
  CHECK(fleet(workspace, {"garbage.toml", "none.toml"}).exit_code == 2);
  CHECK(fleet(workspace, {TOMOGRAPH_SOURCE_DIR "/tests/recordings/h200.toml"}, {"--false-alarms", "1"}).exit_code == 2);
  CHECK_THAT(fleet(workspace, {"garbage.toml"}, {"--false-alarms", "few"}).err,
             ContainsSubstring("--false-alarms: expected a probability between 0 and 1, e.g. 0.05"));
  CHECK(fleet(workspace, {}).exit_code == 2);
  CHECK(workspace.files() == Names{"garbage.toml"});
}
