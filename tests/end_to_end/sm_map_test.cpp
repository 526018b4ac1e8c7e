#include <filesystem>
#include <string>

#include "catch.hpp"
#include "tomograph_program.hpp"

namespace {

/// A topology in which SMs in a row share a constant cache, eight by eight but for those that are swapped.
std::filesystem::path given_groups(const Workspace& workspace, int one, int other) {
  std::string groups;
  for (int sm = 0; sm < 32; ++sm) {
    const int named = sm == one ? other : sm == other ? one : sm;
    groups += (sm % 8 == 0 ? sm == 0 ? "[" : "], [" : ", ") + std::to_string(named);
  }
  const Ended bare =
      workspace.run({"run", "--device", "sim:slices", "--only", "l2.line_size", "--output", "given.toml"});
  CHECK(bare.exit_code == 0);
  const std::string fact = "\n[constant_l15.sm_groups]\nvalue = [" + groups +
                           "]]\nunit = \"\"\nsource = \"measured\"\nmethod = \"by-hand\"\nprobe = \"test/groups\"\n"
                           "scope = \"device\"\nconfidence = 0.99\nsamples = 1\n";
  workspace.write("given.toml", workspace.text("given.toml") + fact);
  return workspace.path("given.toml");
}

Json map_of(const Workspace& workspace, const std::filesystem::path& given) {
  const Ended run = workspace.run({"run", "--device", "sim:slices", "--given", given.string(), "--only", "sm.map"});
  INFO(run.err);
  CHECK(run.exit_code == 0);
  return shown_topology(workspace, "topology.toml");
}

}  // namespace

TEST_CASE("the place of each SM follows from latencies and shared caches") {
  const Workspace workspace;
  const Json topology = map_of(workspace, given_groups(workspace, 0, 0));
  const Json& map = value(topology, "sm.map");
  REQUIRE(map.size() == 32);
  for (int sm = 0; sm < 32; ++sm) {
    CHECK(map[static_cast<std::size_t>(sm)] == Json::array({sm / 2, sm / 4, sm / 8, sm / 16}));
  }
}

TEST_CASE("witnesses that contradict each other leave the map open and are named") {
  const Workspace workspace;
  const Json topology = map_of(workspace, given_groups(workspace, 7, 8));
  const Json outcome = topology.at("outcomes").at("sm.map");
  CHECK(outcome.at("status") == "inconclusive");
  CHECK(outcome.at("reason") ==
        "SMs 6 and 7 are together in l2.equal_latency.sm_groups, but not in constant_l15.sm_groups");
}
