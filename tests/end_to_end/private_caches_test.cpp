#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;

namespace {

/// What the caches of paths other than plain global loads look like, by prefix. Which of them are one cache stays open.
Json measured(const std::string& device, const std::string& pattern) {
  const Workspace workspace;
  CHECK(workspace.run({"run", "--device", device, "--only", pattern}).exit_code <= 1);
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

TEST_CASE(
    "the texture cache of the small simulated GPU and its blocks of texels are found as its file describes them") {
  const Json found = measured("sim:small", "texture.*");
  CHECK(value(found, "texture.size") == 8192);
  CHECK(value(found, "texture.line_size") == 64);
  CHECK(value(found, "texture.fetch_granularity") == 32);
  CHECK(value(found, "texture.ways") == 8);
  CHECK(value(found, "texture.index") == Json{{"kind", "bits"}, {"bits", {6, 7, 8, 9}}});
  CHECK(value(found, "texture.replacement") == "lru");
  CHECK(value(found, "texture.virtually_tagged") == true);
  CHECK(value(found, "texture.latency").get<double>() == Approx(50).epsilon(0.02));
  CHECK(value(found, "texture.latency_2d").get<double>() == Approx(50).epsilon(0.02));
  CHECK(value(found, "texture.block_width") == 16);
  CHECK(value(found, "texture.block_height") == 2);
  CHECK(value(found, "texture.line_block_width") == 32);
  CHECK(value(found, "texture.line_block_height") == 2);
}

TEST_CASE("both levels of constant caches of the small simulated GPU are found as its file describes them") {
  const Json found = measured("sim:small", "constant*");
  CHECK(value(found, "constant_l1.size") == 2048);
  CHECK(value(found, "constant_l1.line_size") == 64);
  CHECK(value(found, "constant_l1.set_ways") == std::vector<int>(8, 4));
  CHECK(value(found, "constant_l1.replacement") == "lru");
  CHECK(value(found, "constant_l1.latency").get<double>() == Approx(20).epsilon(0.02));
  CHECK(value(found, "constant_l15.size") == 16384);
  CHECK(value(found, "constant_l15.line_size") == 256);
  CHECK(value(found, "constant_l15.set_ways") == std::vector<int>(16, 4));
  CHECK(value(found, "constant_l15.index") == Json{{"kind", "bits"}, {"bits", {8, 9, 10, 11}}});
  CHECK(value(found, "constant_l15.latency").get<double>() == Approx(80).epsilon(0.02));
  CHECK(value(found, "constant_l15.miss_penalty").get<double>() > 110);
}

TEST_CASE("a second constant level larger than any array is found with several") {
  const Workspace workspace;
  workspace.write("banks.toml", workspace.source("plugins/devices/sim/gpus/small.toml") +
                                    "\n[constant_memory]\nsize = 36864\narray = 12288\n");
  CHECK(workspace.run({"run", "--device", "sim:./banks.toml", "--only", "constant*", "--only", "l2.partition.count"})
            .exit_code == 0);
  const Json found = shown_topology(workspace, "topology.toml");
  CHECK(value(found, "constant_memory.reach") == 12288);
  CHECK(value(found, "constant_l15.size") == 16384);
  CHECK(value(found, "constant_l15.line_size") == 256);
  CHECK(value(found, "constant_l15.set_ways") == std::vector<int>(16, 4));
}

TEST_CASE("a second constant level that holds all that a program can load is bounded from below") {
  const Workspace workspace;
  std::string text = workspace.source("plugins/devices/sim/gpus/small.toml");
  const std::string second = "sector_size = 64\nsize = 16384";
  text.replace(text.find(second), second.size(), "sector_size = 64\nsize = 131072");
  workspace.write("large.toml", text);
  CHECK(workspace.run({"run", "--device", "sim:./large.toml", "--only", "constant*", "--only", "l2.partition.count"})
            .exit_code == 0);
  const Json topology = shown_topology(workspace, "topology.toml");
  CHECK(value(topology, "constant_l15.size_at_least") == value(topology, "constant_memory.reach"));
  CHECK(value(topology, "constant_l15.size") == "absent");
  const Json outcome = topology.at("outcomes").at("constant_l15.size");
  CHECK(outcome.at("status") == "inconclusive");
  CHECK_THAT(outcome.at("reason").get<std::string>(), ContainsSubstring("all constants that a program can load fit"));
}

TEST_CASE("a GPU with one constant level and no textures leaves the rest skipped, with the reason") {
  const Workspace workspace;
  CHECK(workspace.run({"run", "--device", "sim:bare", "--only", "constant*", "--only", "texture*"}).exit_code <= 1);
  const Json topology = shown_topology(workspace, "topology.toml");
  CHECK(value(topology, "constant_l1.size") == 1024);
  CHECK(value(topology, "constant_l1.latency").get<double>() == Approx(12).epsilon(0.02));
  CHECK(value(topology, "constant_memory.latency").get<double>() == Approx(150).epsilon(0.05));
  for (const char* key : {"constant_l15.latency", "constant_l15.size", "constant_l15.sets", "texture.size",
                          "texture.latency", "texture.block_width"}) {
    const Json outcome = topology.at("outcomes").at(key);
    CHECK(outcome.at("status") == "skipped");
    CHECK(outcome.at("category") == "device");
    CHECK_FALSE(outcome.at("reason").get<std::string>().empty());
  }
}

TEST_CASE("whether a cache is that of another path stays open where that one was not measured") {
  const Workspace workspace;
  workspace.write("tomograph.toml", "exclude = [\"texture-cache/latency\"]\n");
  (void)workspace.run(
      {"run", "--device", "sim:small", "--config", "tomograph.toml", "--only", "read_only.shared_with"});
  const Json outcome = shown_topology(workspace, "topology.toml").at("outcomes").at("read_only.shared_with");
  CHECK(outcome.at("status") == "inconclusive");
  CHECK_THAT(outcome.at("reason").get<std::string>(), ContainsSubstring("texture.hit_threshold is not known"));
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
