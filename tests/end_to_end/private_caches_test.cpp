#include "catch.hpp"
#include "tomograph_program.hpp"

namespace {

Json value(const Json& topology, const std::string& key) {
  const Json record = fact(topology, key);
  return record.is_null() ? Json("absent") : record.at("value");
}

/// What the caches of paths other than plain global loads look like, by prefix.
Json measured(const std::string& device, const std::string& pattern) {
  const Workspace workspace;
  CHECK(workspace.run({"run", "--device", device, "--only", pattern}).exit_code == 0);
  return shown_topology(workspace, "topology.toml");
}

}  // namespace

TEST_CASE("the read-only cache of the small simulated GPU is found as its file describes it") {
  const Json found = measured("sim:small", "read_only.*");
  CHECK(value(found, "read_only.size") == 16384);
  CHECK(value(found, "read_only.line_size") == 128);
  CHECK(value(found, "read_only.fetch_granularity") == 32);
  CHECK(value(found, "read_only.set_ways") == std::vector<int>(32, 4));
  CHECK(value(found, "read_only.index") == Json{{"kind", "bits"}, {"bits", {7, 8, 9, 10, 11}}});
  CHECK(value(found, "read_only.replacement") == "lru");
  CHECK(value(found, "read_only.virtually_tagged") == true);
  CHECK(value(found, "read_only.latency").get<double>() == Approx(30).epsilon(0.02));
}

TEST_CASE("a GPU without a read-only cache leaves every question about it skipped, with the reason") {
  const Workspace workspace;
  std::string text = workspace.source("plugins/devices/sim/gpus/small.toml");
  const std::string both = R"(paths = ["global.ca", "global.nc"])";
  text.replace(text.find(both), both.size(), R"(paths = ["global.ca"])");
  workspace.write("plain.toml", text);
  CHECK(workspace.run({"run", "--device", "sim:./plain.toml", "--only", "read_only.*"}).exit_code == 0);
  const Json topology = shown_topology(workspace, "topology.toml");
  for (const char* key : {"read_only.latency", "read_only.size", "read_only.index", "read_only.virtually_tagged"}) {
    const Json outcome = topology.at("outcomes").at(key);
    CHECK(outcome.at("status") == "skipped");
    CHECK(outcome.at("reason").get<std::string>().find("as long as first loads") != std::string::npos);
  }
}
