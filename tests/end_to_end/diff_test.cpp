#include <algorithm>
#include <string>

#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinAbs;

namespace {

const std::string recordings = TOMOGRAPH_SOURCE_DIR "/tests/recordings/";

/// Measures a few parts of the simulated GPU that this file describes.
void measure_simulated(const Workspace& workspace, const std::string& gpu, const std::string& seed,
                       const std::string& output) {
  const Ended run = workspace.run({"run", "--device", "sim:" + gpu, "--device-parameter", "seed=" + seed, "--only",
                                   "l1_data.latency", "--only", "l2.latency*", "--only", "shared.*", "--only",
                                   "instruction.fp32*", "--only", "constant_l1.*", "--output", output});
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
}

Json diff_json(const Ended& diff) { return Json::parse(diff.out); }

}  // namespace

TEST_CASE("diff of a recorded H100 and an H200 fits one screen and names what NVIDIA changed") {
  const Workspace workspace;
  const Ended diff = workspace.run({"diff", recordings + "h100.toml", recordings + "h200.toml"});
  CHECK(diff.exit_code == 1);
  CHECK(std::ranges::count(diff.out, '\n') <= 60);
  CHECK_THAT(diff.out, ContainsSubstring("A  NVIDIA H100 80GB HBM3, measured on") &&
                           ContainsSubstring("DIFFERENT  l2.slices  ") &&
                           ContainsSubstring("ONLY-B tlb.l2.sm_groups; in A: inconclusive, the"));
  CHECK(diff.out.find('\x1b') == std::string::npos);
  CHECK(workspace.run({"diff", "--only", "instruction.fp32*", recordings + "h100.toml", recordings + "h200.toml"})
            .exit_code == 0);
}

TEST_CASE("diff of a topology with itself is the same throughout") {
  const Workspace workspace;
  const Ended diff = workspace.run({"diff", "--json", recordings + "h200.toml", recordings + "h200.toml"});
  CHECK(diff.exit_code == 0);
  const Json found = diff_json(diff);
  CHECK(found.at("counts").size() == 1);
  CHECK(found.at("counts").at("SAME") == found.at("facts").size());
}

TEST_CASE("diff finds nothing between two runs of one simulated GPU") {
  const Workspace workspace;
  measure_simulated(workspace, "small", "1", "a.toml");
  measure_simulated(workspace, "small", "2", "b.toml");
  const Ended diff = workspace.run({"diff", "--json", "a.toml", "b.toml"});
  INFO(diff.out);
  CHECK(diff.exit_code == 0);
  const Json counts = diff_json(diff).at("counts");
  CHECK(counts.size() == 1);
  CHECK(counts.at("SAME").get<int>() > 50);
}

TEST_CASE("diff finds a latency that is 3 % longer, alone, unless a tolerance allows it") {
  const Workspace workspace;
  std::string text = workspace.source("plugins/devices/sim/gpus/small.toml");
  const std::string latency = "latency = 200\nfar_latency";
  text.replace(text.find(latency), latency.size(), "latency = 206\nfar_latency");
  workspace.write("slower.toml", text);
  measure_simulated(workspace, "small", "1", "a.toml");
  measure_simulated(workspace, "./slower.toml", "2", "b.toml");
  const Ended diff = workspace.run({"diff", "--json", "a.toml", "b.toml"});
  CHECK(diff.exit_code == 1);
  const Json found = diff_json(diff);
  for (const auto& [key, fact] : found.at("facts").items()) {
    INFO(key);
    const bool is_changed = key == "l2.latency.near";
    const bool is_unknown = fact.at("verdict") == "UNDECIDED";  // thresholds have intervals as wide as themselves
    CHECK(
        ((fact.at("verdict") == "HIGHER") == is_changed && (is_changed || is_unknown || fact.at("verdict") == "SAME")));
  }
  CHECK_THAT(found.at("facts").at("l2.latency.near").at("change").get<double>(), WithinAbs(0.03, 0.005));
  CHECK(workspace.run({"diff", "--tolerance", "l2.latency*=5%", "a.toml", "b.toml"}).exit_code == 0);
}

TEST_CASE("with --same-kind diff ignores what differs between boards, and nothing else") {
  const Workspace workspace;
  std::string text = Workspace::source("tests/recordings/h200.toml");
  // The first number or text of a fact begins with a 1 more.
  const auto change = [&](const std::string& key, const std::string& before) {
    const auto at = text.find(before, text.find("[" + key + "]"));
    REQUIRE(at != std::string::npos);
    text.insert(at + before.size(), "1");
  };
  const std::string list = "value = [\n  [";
  change("device.sm_clock", "value = ");
  change("dram.free", "value = ");
  // GPUs of one node lie on different NUMA nodes, and the factory left other SMs on each.
  change("device.numa_node", "value = ");
  change("device.driver_version", "value = \"");
  change("sm.map", list);
  change("l2.latency_by_sm_and_slice", list);
  change("l2.bandwidth.gather_by_group", list);
  workspace.write("other.toml", text);
  CHECK(workspace.run({"diff", recordings + "h200.toml", "other.toml"}).exit_code == 1);
  CHECK(workspace.run({"diff", "--same-kind", recordings + "h200.toml", "other.toml"}).exit_code == 0);
  change("device.sm_count", "value = ");
  workspace.write("other.toml", text);
  CHECK(workspace.run({"diff", "--same-kind", recordings + "h200.toml", "other.toml"}).exit_code == 1);
}

TEST_CASE("diff refuses bad input with one message and exit code 2") {
  const Workspace workspace;
  const std::string good = recordings + "h200.toml";
  const auto refused = [&](std::vector<std::string> arguments, const std::string& message) {
    arguments.insert(arguments.begin(), "diff");
    const Ended ended = workspace.run(arguments);
    CHECK(ended.exit_code == 2);
    CHECK_THAT(ended.err, ContainsSubstring(message));
    CHECK(std::ranges::count(ended.err, '\n') == 1);
    CHECK(ended.out.empty());
  };
  refused({good, "none.toml"}, "none.toml: cannot be read");
  refused({good, "gallery:nvidia-h20"}, "did you mean 'nvidia-h200'?");
  refused({good, good, "--only", "l2.sise"},
          "'l2.sise' matches no fact of the two topologies; did you mean 'l2.size'?");
  for (const char* wrong : {"l2.size", "l2.size=", "l2.size=x", "l2.size=-1%", "l2.size=5", "=2%", "l2.size=nan"}) {
    refused({good, good, "--tolerance", wrong}, "expected a pattern, '=' and a share");
  }
}
