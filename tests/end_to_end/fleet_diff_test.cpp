#include <algorithm>
#include <regex>
#include <string>

#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;

namespace {

/// A simulated GPU of 8 SMs with a UUID. Boards differ in how far SMs are from slices of L2.
struct Gpu {
  std::string uuid;
  int board = 0;
  int miss_latency = 400;
};

/// Measures GPUs and merges them in FLEET.toml.
void measure(const Workspace& workspace, const std::string& fleet, const std::vector<Gpu>& gpus, int seed) {
  std::string devices;
  for (const Gpu& gpu : gpus) {
    std::string text = Workspace::source("plugins/devices/sim/gpus/small.toml");
    text = std::regex_replace(text, std::regex("\nsm_count = 4"), "\nsm_count = 8");
    text = std::regex_replace(text, std::regex("\nlatency = 400"), "\nlatency = " + std::to_string(gpu.miss_latency));
    text = std::regex_replace(text, std::regex("\n\\[l2\\]"),
                              "\n[l2]\nslices = 8\nsm_latency_spread = 30\nboard = " + std::to_string(gpu.board));
    text = std::regex_replace(text, std::regex("\n\\[api\\]"), "\n[api]\n\"device.uuid\" = \"" + gpu.uuid + "\"");
    workspace.write(fleet + gpu.uuid + ".gpu", text);
    devices += (devices.empty() ? "sim:./" : ",sim:./") + fleet + gpu.uuid + ".gpu?seed=" + std::to_string(++seed);
  }
  const Ended run =
      workspace.run({"run", "--device", devices, "--only", "l2.latency_by_sm", "--output", fleet + ".{uuid}.topology"});
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  Arguments merge{"fleet", "-o", fleet + ".toml"};
  for (const Gpu& gpu : gpus) merge.push_back(fleet + "." + gpu.uuid + ".topology");
  REQUIRE(workspace.run(merge).exit_code < 2);
}

}  // namespace

TEST_CASE("diff of two days of a fleet names boards that were exchanged, came and went, who is odd, and what moved") {
  const Workspace workspace;
  const std::vector<Gpu> before{{"GPU-1", 1}, {"GPU-2", 2}, {"GPU-3", 3}, {"GPU-4", 4}, {"GPU-5", 5}};
  measure(workspace, "a", before, 0);
  measure(workspace, "again", before, 10);
  const Ended same = workspace.run({"diff", "a.toml", "again.toml"});
  CHECK(same.out == "no difference\n");
  CHECK(same.exit_code == 0);

  measure(workspace, "b", {{"GPU-1", 1}, {"GPU-2", 9}, {"GPU-7", 3}, {"GPU-4", 4, 440}, {"GPU-8", 8}}, 20);
  const Ended differs = workspace.run({"diff", "a.toml", "b.toml"});
  INFO(differs.out);
  CHECK(differs.exit_code == 1);
  CHECK_THAT(differs.out, ContainsSubstring("EXCHANGED      Small: GPU-2 is another board") &&
                              ContainsSubstring("OTHER-UUID     Small: GPU-7 may be the board that was GPU-3\n") &&
                              ContainsSubstring("ONLY-A         Small: GPU-5\n") &&
                              ContainsSubstring("ONLY-B         Small: GPU-8\n") &&
                              ContainsSubstring("NEWLY-ODD      GPU-4: l2.miss_penalty is "));
  CHECK(std::ranges::count(differs.out, '\n') == 5);
  const Json json = Json::parse(workspace.run({"diff", "--json", "b.toml", "a.toml"}).out);
  CHECK(json.at("no_longer_odd").at(0).at("gpu") == "GPU-4");
  CHECK(json.at("/cohorts/Small/exchanged"_json_pointer) == Json{"GPU-2"});
}

TEST_CASE("diff refuses a fleet beside a topology, and options of topologies") {
  const Workspace workspace;
  workspace.write("fleet.toml", Workspace::source("tests/schemas/examples/fleet.toml"));
  workspace.write("bad.toml", "false_alarm_rate = 2\n");
  const auto refused = [&](const Arguments& arguments, const std::string& message) {
    const Ended ended = workspace.run(arguments);
    CHECK(ended.exit_code == 2);
    CHECK(ended.out.empty());
    CHECK_THAT(ended.err, ContainsSubstring(message));
  };
  refused({"diff", "fleet.toml", TOMOGRAPH_SOURCE_DIR "/tests/recordings/h200.toml"}, "h200.toml: expected a fleet");
  refused({"diff", "fleet.toml", "fleet.toml", "--same-kind"}, "fleets are compared as wholes");
  refused({"diff", "fleet.toml", "bad.toml"}, "bad.toml:1:");
}
