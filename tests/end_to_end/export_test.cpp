#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

const std::string h200 = TOMOGRAPH_SOURCE_DIR "/tests/recordings/h200.toml";

/// `tomograph export` with the exporters of the fixtures.
Ended export_with_fixtures(const Workspace& workspace, Arguments arguments) {
  arguments.insert(arguments.begin(), "export");
  return workspace.run(with_plugins(arguments, {"toy", "bad-exporters"}));
}

/// Measures the toy device; writes NAME.toml and NAME.evidence.json.
void measure_toy(const Workspace& workspace, const std::string& name, const Arguments& more = {}) {
  Arguments arguments = with_plugins({"run", "--device", "toy:0", "--output", name + ".toml"}, {"toy"});
  arguments.insert(arguments.end(), {"--only", "fixture.alpha"});
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Ended ended = workspace.run(arguments);
  INFO(ended.err);
  REQUIRE(ended.exit_code == 0);
}

/// Bad input: exit code 2, one line, nothing on standard output, no file written.
void check_export_refused(const Workspace& workspace, const Arguments& arguments, const std::string& message) {
  const auto before = workspace.files();
  const Ended ended = export_with_fixtures(workspace, arguments);
  CHECK(ended.exit_code == 2);
  CHECK(ended.out.empty());
  CHECK_THAT(ended.err, StartsWith("tomograph: ") && ContainsSubstring(message));
  CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
  CHECK(workspace.files() == before);
}

/// An exporter of the zoo fails: exit code 1, one line, nothing on standard output, the file that was there is intact.
void check_failed(const std::string& exporter, const std::string& message) {
  const Workspace workspace;
  workspace.write("old", "intact");
  for (const Arguments& output : {Arguments{}, Arguments{"-o", "old"}}) {
    Arguments arguments{exporter, h200};
    arguments.insert(arguments.end(), output.begin(), output.end());
    const Ended ended = export_with_fixtures(workspace, arguments);
    CHECK(ended.exit_code == 1);
    CHECK(ended.out.empty());
    CHECK_THAT(ended.err, ContainsSubstring("exporter '" + exporter + "'") && ContainsSubstring(message) &&
                              ContainsSubstring("nothing is written"));
    CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
  }
  CHECK(workspace.files() == Arguments{"old"});
  CHECK(workspace.text("old") == "intact");
}

std::string all_bytes() {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  return bytes;
}

}  // namespace

TEST_CASE("export writes every byte of the format to standard output, or to the file") {
  const Workspace workspace;
  const Ended out = export_with_fixtures(workspace, {"bytes", h200});
  CHECK(out.exit_code == 0);
  CHECK(out.err.empty());
  CHECK(out.out == all_bytes() + "no evidence");
  const Ended file = export_with_fixtures(workspace, {"bytes", h200, "-o", "all.bytes"});
  CHECK(file.exit_code == 0);
  CHECK(file.out.empty());
  CHECK(workspace.text("all.bytes") == all_bytes() + "no evidence");
}

TEST_CASE("export sets the parameters of an exporter, and refuses wrong ones with the nearest or the range") {
  const Workspace workspace;
  const Ended twice = export_with_fixtures(workspace, {"bytes", h200, "--parameter", "times=2"});
  CHECK(twice.out == all_bytes() + all_bytes() + "no evidence");
  check_export_refused(workspace, {"bytes", h200, "--parameter", "time=2"}, "did you mean 'times'?");
  check_export_refused(workspace, {"bytes", h200, "--parameter", "times=0"},
                       "expected an integer from 1 to 1000, found 0");
  check_export_refused(workspace, {"bytes", h200, "--parameter", "times"}, "expected NAME=VALUE");
}

TEST_CASE("export finds the evidence beside the topology, or where --evidence says") {
  const Workspace workspace;
  measure_toy(workspace, "topology");
  CHECK_THAT(export_with_fixtures(workspace, {"bytes"}).out, Catch::Matchers::EndsWith("\xff"
                                                                                       "evidence"));
  std::filesystem::rename(workspace.path("topology.evidence.json"), workspace.path("moved.json"));
  CHECK_THAT(export_with_fixtures(workspace, {"bytes"}).out, Catch::Matchers::EndsWith("no evidence"));
  const Ended named = export_with_fixtures(workspace, {"bytes", "topology.toml", "--evidence", "moved.json"});
  CHECK_THAT(named.out, Catch::Matchers::EndsWith("\xff"
                                                  "evidence"));
}

TEST_CASE("evidence of another run is refused, although it has the same curves") {
  const Workspace workspace;
  measure_toy(workspace, "one");
  workspace.write("tomograph.toml", "[probes.\"toy/alpha\"]\nargument = 7\n");
  measure_toy(workspace, "other", {"--config", "tomograph.toml"});
  check_export_refused(workspace, {"bytes", "one.toml", "--evidence", "other.evidence.json"},
                       "other.evidence.json: this evidence belongs to another run than one.toml");
  workspace.write("one.evidence.json", workspace.text("other.evidence.json"));
  check_export_refused(workspace, {"bytes", "one.toml"}, "one.evidence.json: this evidence belongs to another run");
}

TEST_CASE("a topology without the hash of its evidence takes evidence with its curves and no other") {
  const Workspace workspace;
  const std::string recorded = Workspace::source("tests/recordings/h200.toml");
  workspace.write("topology.toml", std::regex_replace(recorded, std::regex("evidence_sha256.*"), ""));
  workspace.write("topology.evidence.json",
                  R"({"schema_version": 1, "evidence": {"dsmem/clusters": {"cluster.max_size": {"ctas": [1]}}}})");
  CHECK_THAT(export_with_fixtures(workspace, {"bytes"}).out, Catch::Matchers::EndsWith("\xff"
                                                                                       "evidence"));
  workspace.write("topology.evidence.json",
                  R"({"schema_version": 1, "evidence": {"toy/alpha": {"fixture.alpha": {"square": [25]}}}})");
  check_export_refused(workspace, {"bytes"}, "topology.evidence.json: this evidence belongs to another run");
  workspace.write("topology.evidence.json", "{}");
  check_export_refused(workspace, {"bytes"}, "topology.evidence.json: no evidence file");
}

TEST_CASE("export refuses bad input in one line and writes nothing") {
  const Workspace workspace;
  workspace.write("newer.toml", "schema_version = 3\n[provenance]\n");
  workspace.write("broken.toml", "schema_version = \n");
  check_export_refused(workspace, {"byte", h200}, "there is no exporter 'byte'; did you mean 'bytes'?");
  check_export_refused(workspace, {"bytes", "missing.toml"}, "missing.toml: cannot be read");
  check_export_refused(workspace, {"bytes"}, "topology.toml: cannot be read");
  check_export_refused(workspace, {"bytes", "newer.toml"},
                       "newer.toml:1:1: schema_version: 3 is of a newer Tomograph, this one reads 1 and 2");
  check_export_refused(workspace, {"bytes", "broken.toml"}, "broken.toml:1:18");
  check_export_refused(workspace, {"bytes", h200, h200}, "exporter 'bytes' takes one topology, 2 are given");
  check_export_refused(workspace, {"bytes", h200, "--evidence", "missing.json"}, "missing.json: cannot be read");
  check_export_refused(workspace, {"csv", h200, "--evidence", "missing.json"}, "--evidence: exporter 'csv' takes none");
  check_export_refused(workspace, {"bytes", h200, "-o", "missing/file"}, "missing/file: cannot be written");
  workspace.write("topology.toml", Workspace::source("tests/recordings/h200.toml"));
  check_export_refused(workspace, {"bytes", "-o", "./topology.toml"},
                       "./topology.toml: is read by this command (TOPOLOGY), so it cannot be its --output");
}

TEST_CASE("a fact that a format needs and a topology lacks is bad input") {
  check_export_refused(Workspace(), {"needing", h200},
                       "exporter 'needing' refuses: h200.toml: fixture.missing: the format needs");
}

TEST_CASE("zoo: an exporter that crashes") { check_failed("crashing", "its process was killed by SIGABRT"); }
TEST_CASE("zoo: an exporter that hangs") { check_failed("hanging", "it did not end within 1 s"); }
TEST_CASE("zoo: an exporter that writes without end") { check_failed("endless", "it wrote more than 64 MiB"); }
TEST_CASE("zoo: an exporter that writes nothing") { check_failed("silent", "wrote nothing"); }
TEST_CASE("zoo: an exporter that throws") { check_failed("throwing", "failed: the format has no word for this"); }
TEST_CASE("zoo: an exporter that exits the process") { check_failed("exiting", "ended with exit code 0"); }

TEST_CASE("zoo: what an exporter prints never reaches the exported file") {
  const Workspace workspace;
  const Ended ended = export_with_fixtures(workspace, {"printing", h200});
  CHECK(ended.exit_code == 0);
  CHECK(ended.out == "the file\n");
  CHECK_THAT(ended.err, ContainsSubstring("[bad-exporters] wrote past the log: on standard output"));
}

TEST_CASE("a full disk leaves no half of an exported file") {
  const Workspace workspace;
  const Ended ended = workspace.run_on_full_disk(
      with_plugins({"export", "bytes", h200, "--parameter", "times=1000", "-o", "big"}, {"toy"}), 100000);
  CHECK(ended.exit_code == 1);
  CHECK(workspace.files().empty());
}

TEST_CASE("list exporters names each format with what it takes") {
  const Workspace workspace;
  const Ended text = workspace.run(with_plugins({"list", "exporters"}, {"toy"}));
  CHECK_THAT(text.out, ContainsSubstring("bytes (.bytes, evidence)  All bytes\n      parameter times = 1 (integer") &&
                           ContainsSubstring("csv (.csv, several topologies)"));
  const Json listed = Json::parse(workspace.run(with_plugins({"list", "exporters", "--json"}, {"toy"})).out);
  const Json& exporters = listed.at("exporters");
  const auto bytes = std::ranges::find_if(exporters, [](const Json& each) { return each.at("id") == "bytes"; });
  REQUIRE(bytes != exporters.end());
  CHECK(bytes->at("suffix") == ".bytes");
  CHECK(bytes->at("takes_evidence") == true);
  CHECK(bytes->at("takes_several") == false);
  CHECK_THAT(workspace.run(with_plugins({"list"}, {"toy"})).out,
             ContainsSubstring("  exporter bytes (.bytes, evidence)"));
}

TEST_CASE("validate lets an exporter write, and says what one does wrong") {
  const Workspace workspace;
  const std::string fixtures = TOMOGRAPH_FIXTURE_DIR;
  const Ended good = workspace.run({"validate", TOMOGRAPH_PLUGIN_DIR "/csv.so"});
  CHECK(good.exit_code == 0);
  CHECK_THAT(good.out, ContainsSubstring("  passed     writes\n"));
  const Ended bad = workspace.run({"validate", fixtures + "/bad-exporters/bad-exporters.so"});
  CHECK(bad.exit_code == 2);
  CHECK_THAT(bad.out, ContainsSubstring("  crashed    writes  crashing: its process was killed by SIGABRT"));
}
