#include <algorithm>

#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;

namespace {

/// The text of a simulated GPU with an L2 of this many sets of 256 B, and whatever else `caches` describes.
std::string gpu_with_small_l2(int sm_count, int sets, const std::string& caches = {}) {
  return "name = \"Tiny\"\nsm_count = " + std::to_string(sm_count) + "\nsm_clock_mhz = 1000\n[api]\n" +
         "\"l2.nominal_size\" = " + std::to_string(256 * sets) + "\n" + caches +
         "[l2]\nlatency = 100\nline_size = 64\nways = 4\nsets = " + std::to_string(sets) +
         "\n[dram]\nlatency = 300\nsize = 4294967296\n";
}

}  // namespace

TEST_CASE("the data caches of the small simulated GPU are found as its file describes them") {
  const Workspace workspace;
  const Ended run = workspace.run({"run", "--device", "sim:small", "--only", "l1_data.*", "--only", "l2.*"});
  CHECK(run.exit_code <= 1);
  CHECK(workspace.run({"validate", "topology.toml"}).exit_code == 0);
  const Json found = shown_topology(workspace, "topology.toml");
  CHECK(value(found, "l1_data.caches_global_loads") == true);
  CHECK(value(found, "l1_data.size") == 16384);
  CHECK(value(found, "l1_data.line_size") == 128);
  CHECK(value(found, "l1_data.fetch_granularity") == 32);
  CHECK(value(found, "l1_data.sets") == 32);
  CHECK(value(found, "l1_data.ways") == 4);
  CHECK(value(found, "l1_data.replacement") == "lru");
  CHECK(value(found, "l1_data.virtually_tagged") == true);
  CHECK(value(found, "l1_data.index") == Json{{"kind", "bits"}, {"bits", {7, 8, 9, 10, 11}}});
  CHECK(value(found, "l2.size") == 262144);
  CHECK(value(found, "l2.line_size") == 128);
  CHECK(value(found, "l2.fetch_granularity") == 64);
  CHECK(value(found, "l2.ways") == 16);
  CHECK(value(found, "l2.partition.count") == 2);
  CHECK(value(found, "l1_data.latency").get<double>() == Approx(30).epsilon(0.02));
  CHECK(value(found, "l2.latency.near").get<double>() == Approx(200).epsilon(0.02));
  CHECK(value(found, "l2.latency.far").get<double>() == Approx(280).epsilon(0.02));
}

TEST_CASE("a recorded run of the data caches replays to the same facts and outcomes") {
  const Workspace workspace;
  const Ended run = workspace.run({"run", "--device", "sim:small", "--record", "run.rec", "--output", "measured.toml"});
  const Ended replay = workspace.run({"run", "--device", "replay:run.rec", "--output", "replayed.toml"});
  CHECK(replay.exit_code == run.exit_code);
  const Json measured = shown_topology(workspace, "measured.toml");
  const Json replayed = shown_topology(workspace, "replayed.toml");
  CHECK(facts(replayed).dump() == facts(measured).dump());
  CHECK(replayed.at("outcomes") == measured.at("outcomes"));
}

TEST_CASE("a simulated GPU with impossible geometry is refused with file, line and key") {
  const Workspace workspace;
  std::string text = workspace.source("plugins/devices/sim/gpus/small.toml");
  const std::string right = "ways = 16";
  const std::size_t place = text.find(right);
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place), '\n');
  text.replace(place, right.size(), "ways = 0");
  workspace.write("broken.toml", text);
  const Ended run = workspace.run({"run", "--device", "sim:./broken.toml"});
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.err, ContainsSubstring("broken.toml:" + std::to_string(line) + ":") && ContainsSubstring("l2.ways"));
  CHECK(workspace.files() == std::vector<std::string>{"broken.toml"});
  CHECK(workspace.run({"validate", "broken.toml"}).exit_code == 2);
}

TEST_CASE("what a new plugin starts with is a probe that measures") {
  const Workspace workspace;
  const Ended run =
      workspace.run(with_plugins({"run", "--device", "sim:small", "--only", "hello.l2_latency"}, {"hello"}));
  CHECK(run.exit_code == 0);
  const double latency = fact(shown_topology(workspace, "topology.toml"), "hello.l2_latency").at("value");
  CHECK(latency > 190);
  CHECK(latency < 290);
}

TEST_CASE("an L2 that holds fewer lines than a program loads is one partition, and no constant cache") {
  const Workspace workspace;
  for (const int sms : {4, 16}) {
    workspace.write("tiny.toml", gpu_with_small_l2(sms, 64));
    CHECK(workspace
              .run({"run", "--device", "sim:./tiny.toml", "--only", "l2.*", "--only", "constant_l1.*", "--only",
                    "constant_memory.*"})
              .exit_code <= 1);
    const Json found = shown_topology(workspace, "topology.toml");
    CHECK(value(found, "l2.partition.count") == 1);
    CHECK(value(found, "l2.latency.near").get<double>() == Approx(100).epsilon(0.02));
    CHECK(fact(found, "constant_l1.latency").is_null());
    CHECK(fact(found, "constant_l1.size").is_null());
    const Json outcome = found.at("outcomes").at("constant_memory.latency");
    CHECK_THAT(outcome.at("reason").get<std::string>(), ContainsSubstring("no cache but L2 holds constants"));
  }
}

TEST_CASE("a constant cache of half of what a program can load has a line and a size") {
  const Workspace workspace;
  workspace.write("constants.toml",
                  gpu_with_small_l2(4, 4096,
                                    "[cache.constants]\npaths = [\"constant\"]\nlatency = 40\nline_size = 64\n"
                                    "size = 32768\nways = 4\n"));
  CHECK(workspace.run({"run", "--device", "sim:./constants.toml", "--only", "constant_l1.*"}).exit_code == 0);
  const Json found = shown_topology(workspace, "topology.toml");
  CHECK(value(found, "constant_l1.line_size") == 64);
  CHECK(value(found, "constant_l1.size") == 32768);
}
