#include <algorithm>
#include <filesystem>
#include <string>

#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

const std::string recorded = TOMOGRAPH_SOURCE_DIR "/tests/recordings/h200.toml";

/// A replay of what an H200 answered, with the curves of these facts, or of all.
void measure_facts(const Workspace& workspace, const std::vector<std::string>& facts = {}) {
  std::vector<std::string> arguments{"run", "--device", "replay:" TOMOGRAPH_SOURCE_DIR "/tests/recordings/h200.rec"};
  for (const std::string& fact : facts) arguments.insert(arguments.end(), {"--only", fact});
  // Probes that are younger than the recording fail, which is 1.
  REQUIRE(workspace.run(arguments).exit_code <= 1);
}

std::string explanation(const Workspace& workspace, const std::string& key, const std::string& topology,
                        const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"explain", key, topology};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Ended ended = workspace.run(arguments);
  INFO(ended.err);
  CHECK(ended.exit_code == 0);
  CHECK(std::ranges::count(ended.out, '\n') <= 60);
  return ended.out;
}

}  // namespace

TEST_CASE("a fact is explained: value, meaning, probe, method, curve, confidence, the driver's value, who needs it") {
  const Workspace workspace;
  measure_facts(workspace, {"l2.size"});
  CHECK_THAT(explanation(workspace, "l2.size", "topology.toml"),
             ContainsSubstring("l2.size is 58.") && ContainsSubstring(" MiB, between ") &&
                 ContainsSubstring("(confidence 95 %)") && ContainsSubstring("Meaning  ") &&
                 ContainsSubstring("data-cache/l2.size of the plugin data-cache") &&
                 ContainsSubstring("footprint_B  share hits of tested\n16384  1\n") &&
                 ContainsSubstring("l2.nominal_size is 60 MiB") && ContainsSubstring("Needs       ") &&
                 ContainsSubstring("Needed by   "));
  CHECK_THAT(explanation(workspace, "l2.partition.size", "topology.toml"),
             ContainsSubstring("(confidence 95.5 %)") && ContainsSubstring("(cache::size_soft)"));
}

TEST_CASE("on a pipe an explanation is plain, --draw and --color draw and colour it") {
  const Workspace workspace;
  measure_facts(workspace, {"l1_data.size"});
  const std::string plain = explanation(workspace, "l1_data.size", "topology.toml");
  CHECK(plain.find('\x1b') == std::string::npos);
  CHECK(plain.find("\xE2\xA0") == std::string::npos);
  const std::string drawn =
      explanation(workspace, "l1_data.size", "topology.toml", {"--draw", "always", "--color", "always"});
  CHECK_THAT(drawn, ContainsSubstring("\xE2\xA0") && ContainsSubstring("┊") && ContainsSubstring("\x1b[1m"));
}

TEST_CASE("every fact of a real GPU is explained on one screen, and every curve that is not flat is drawn") {
  int drawn = 0;
  const Workspace workspace;
  measure_facts(workspace);
  for (const std::string key :
       {"l1_data.size", "tlb.l2.sm_groups", "l2.size", "memory_spectrum.p4", "texture.size", "l1_data.size_by_carveout",
        "device.name", "shared.banks", "constant_l15.shared_with", "texture.block_width"}) {
    INFO(key);
    drawn += explanation(workspace, key, "topology.toml", {"--draw", "always"}).find("│") == std::string::npos ? 0 : 1;
  }
  CHECK(drawn == 9);  // all but the device's name
}

TEST_CASE("a fact that is missing is explained by its outcome, with what it needs") {
  CHECK_THAT(explanation(Workspace(), "l2.set_ways", recorded), ContainsSubstring("l2.set_ways was not measured") &&
                                                                    ContainsSubstring("Why         inconclusive: ") &&
                                                                    ContainsSubstring("Needs       l2.hit_threshold"));
  CHECK_THAT(explanation(Workspace(), "tlb.l3.entries", recorded), ContainsSubstring("skipped (device)"));
}

TEST_CASE("without a topology an explanation says what the plugins say") {
  const Ended ended = Workspace().run({"explain", "l2.size"});
  CHECK(ended.exit_code == 0);
  CHECK_THAT(ended.out, ContainsSubstring("Meaning") && ContainsSubstring("Needs") && !ContainsSubstring("Confidence"));
}

TEST_CASE("an unknown fact is bad input, with the nearest names") {
  const auto refused = [](const std::string& name, const std::string& message) {
    const Ended ended = Workspace().run({"explain", name, recorded});
    CHECK(ended.exit_code == 2);
    CHECK_THAT(ended.err, ContainsSubstring("there is no fact '" + name + "'" + message));
    CHECK(std::ranges::count(ended.err, '\n') == 1);
  };
  refused("l2.sise", "; did you mean 'l2.size'");
  refused("size_by_carveout", "; did you mean 'l1_data.size_by_carveout'?");
  refused("L2.SIZE", "; did you mean 'l2.size'?");
  refused("qwertyuiop", "; `tomograph list facts` names all");
}

TEST_CASE("the name of a probe, of a part or of what the device reports is told for what it is") {
  const Workspace workspace;
  const auto told = [&](const std::string& name, const std::string& message) {
    const Ended ended = workspace.run({"explain", name});
    CHECK(ended.exit_code == 2);
    CHECK_THAT(ended.err, StartsWith("tomograph: " + message));
  };
  told("device.sm_count", "device.sm_count is reported by the device, no probe measures it\n");
  told("data-cache/l2.partition", "probe data-cache/l2.partition measures 5 facts, e.g. l2.partition.count, ");
  told("L2", "l2 is a part with ");
  const auto refused = [&](const std::string& pattern, const std::string& message) {
    const Ended ended = workspace.run({"run", "--device", "sim:small", "--only", pattern});
    CHECK(ended.exit_code == 2);
    CHECK(ended.err == "tomograph: " + message + "\n");
  };
  refused("device.sm_count", "device.sm_count is reported by the device, no probe measures it");
  refused("l2", "pattern 'l2' matches no probe and no fact; did you mean 'l2.*'?");
  refused("data-cache", "pattern 'data-cache' matches no probe and no fact; did you mean 'data-cache/*'?");
  refused("L1_Data.Size", "pattern 'L1_Data.Size' matches no probe and no fact; did you mean 'l1_data.size'?");
}

TEST_CASE("a fact of a model is explained as computed from other facts, not as sampled by a probe") {
  const Ended ended = Workspace().run({"explain", "sm.map", recorded});
  CHECK(ended.exit_code == 0);
  CHECK_THAT(ended.out,
             ContainsSubstring("computed from other facts") && ContainsSubstring("computed from those of other facts"));
  CHECK_THAT(ended.out, !ContainsSubstring("samples"));
}

TEST_CASE("a fact of a probe that is not here is not explained by another probe that provides the same key") {
  const Workspace workspace;
  std::string text = Workspace::source("tests/recordings/h200.toml");
  const auto table = text.find("[l1_data.size]");
  const std::string probe = "probe = \"data-cache/l1.size\"";
  text.replace(text.find(probe, table), probe.size(), "probe = \"x/y\"");
  workspace.write("other.toml", text);
  CHECK_THAT(explanation(workspace, "l1_data.size", recorded),
             ContainsSubstring("Probe  ") && ContainsSubstring("Question  ") && ContainsSubstring("(cache::size_"));
  CHECK_THAT(explanation(workspace, "l1_data.size", "other.toml"),
             ContainsSubstring("Meaning  ") && ContainsSubstring("claimed by x/y") &&
                 ContainsSubstring("x/y is not among the plugins here") && !ContainsSubstring("Probe  ") &&
                 !ContainsSubstring("Question  ") && !ContainsSubstring("(cache::"));
}

TEST_CASE("a confidence that rests on no counted samples is not said to rest on 0 samples") {
  CHECK_THAT(explanation(Workspace(), "tensor.fp16.throughput_by_shape", recorded),
             ContainsSubstring("computed by the probe") && !ContainsSubstring("0 samples"));
}

TEST_CASE("a curve that is not in the evidence file, or in which nothing varies, is said to be so") {
  const Workspace workspace;
  const auto run = [&](const Arguments& more) {
    Arguments arguments{"run", "--device", "sim:small"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    REQUIRE(workspace.run(arguments).exit_code == 0);
  };
  run({"--only", "l1_data.sector_size", "--output", "first.toml"});
  CHECK_THAT(explanation(workspace, "l1_data.sector_size", "first.toml"),
             ContainsSubstring("none of its columns varies"));
  std::filesystem::remove(workspace.path("first.evidence.json"));
  run({"--only", "l1_data.per_sm", "--given", "first.toml", "--output", "second.toml"});
  CHECK_THAT(explanation(workspace, "l1_data.sector_size", "second.toml"),
             ContainsSubstring("the evidence file lacks it") && !ContainsSubstring("no evidence file"));
}

TEST_CASE("without its evidence file a fact is explained without a curve; a file that is none is refused") {
  const Workspace workspace;
  const Ended bare = workspace.run({"explain", "l2.size", recorded});
  CHECK(bare.exit_code == 0);
  CHECK_THAT(bare.out, ContainsSubstring("no evidence file lies beside the topology"));
  workspace.write("none.json", "{}");
  const Ended wrong = workspace.run({"explain", "l2.size", recorded, "--evidence", "none.json"});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, ContainsSubstring("none.json: no evidence file"));
  workspace.write("other.json", R"({"schema_version": 1, "evidence": {"a/b": {"c": {"x": [1, 2]}}}})");
  const Ended other = workspace.run({"explain", "l2.size", recorded, "--evidence", "other.json"});
  CHECK(other.exit_code == 2);
  CHECK_THAT(other.err, ContainsSubstring("belongs to another run"));
  const Ended alone = workspace.run({"explain", "l2.size", "--evidence", "none.json"});
  CHECK(alone.exit_code == 2);
  CHECK_THAT(alone.err, ContainsSubstring("--evidence requires TOPOLOGY"));
}
