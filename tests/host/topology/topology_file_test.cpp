#include "topology/topology_file.hpp"

#include "catch.hpp"
#include "documents/schema.hpp"
#include "temporary_folder.hpp"
#include "tomograph/documents/input_error.hpp"
#include "topology/merge.hpp"

using namespace tomograph;
using namespace tomograph::host;
using Catch::Matchers::ContainsSubstring;

namespace {

FactRecord fact(const Json& value, const std::string& unit, double confidence) {
  FactRecord record;
  record.value = value;
  record.unit = unit;
  record.source = "measured";
  record.method = "retained-lines";
  record.probe = "data-cache/l1.size";
  record.scope = "sm";
  record.confidence = confidence;
  record.samples = 132;
  return record;
}

/// Every kind of value and every optional field; a key that begins another key; a reason with quotes.
Topology sample() {
  Topology topology;
  topology.provenance = {{"tool", {{"version", "0.1.0"}}}, {"device", "sim:h200"}, {"seconds", 2.5}};
  FactRecord size = fact(254976.0, "B", 0.999);
  size.interval = {254976, 254976};
  size.conditions = {{"carveout", "max-l1"}, {"sm_clock_mhz", 1980}};
  size.evidence = "l1_data.size";
  add_fact(topology, "l1_data.size", size);
  FactRecord latency = fact(1.0 / 3.0 + 200, "cycle", 0.1 + 0.2);
  latency.interval = {200.1, 201};
  add_fact(topology, "l2.latency", latency);
  add_fact(topology, "l2.latency.near", fact(200.0, "cycle", 1));
  add_fact(topology, "l1_data.index", fact({{"kind", "bits"}, {"bits", {7, 8}}}, "", 1));
  add_fact(topology, "l1_data.virtually_tagged", fact(true, "", 1));
  add_fact(topology, "device.name", fact("A \"GPU\"\n\x7f\x01 \\ é", "", 1));
  add_fact(topology, "l2.latency_by_sm", fact(Json(std::vector<double>(132, 261.25)), "cycle", 1));
  topology.outcomes["l1_data.sets"] = {.status = OutcomeStatus::skipped,
                                       .reason = "said \"no\"",
                                       .category = SkipCategory::device,
                                       .probe = "data-cache/l1.sets"};
  topology.probes["data-cache/l1.size"] = {.status = OutcomeStatus::measured,
                                           .reason = {},
                                           .seconds = 0.125,
                                           .experiments = 7,
                                           .executing_seconds = 0.0625,
                                           .plugin_seconds = 0.03125};
  return topology;
}

/// The problems of a topology file with these lines after the obligatory ones.
std::string refusal_of(const std::string& lines) {
  const TemporaryFolder folder;
  const auto file = folder.write("t.toml", "schema_version = 1\n[provenance]\n" + lines);
  try {
    static_cast<void>(read_topology(file));
  } catch (const InputError& error) {
    std::string text;
    for (Problem problem : error.problems()) {
      problem.file = "t.toml";
      text += to_string(problem) + "\n";
    }
    return text;
  }
  return "accepted";
}

const std::string good_fact =
    "[l1_data.size]\nvalue = 1\nunit = \"B\"\nmethod = \"m\"\nprobe = \"p\"\nscope = \"sm\"\nsamples = 1\n";

}  // namespace

TEST_CASE("a topology reads back as it was written, to the last bit") {
  const Topology written = sample();
  const TemporaryFolder folder;
  const Topology read = read_topology(folder.write("topology.toml", to_toml(written)));
  CHECK(to_json(read) == to_json(written));
  CHECK(to_toml(read) == to_toml(written));
  CHECK(read.facts.at("l2.latency").value.get<double>() == 1.0 / 3.0 + 200);
  CHECK(read.facts.at("l2.latency").confidence == 0.1 + 0.2);
  CHECK(read.facts.at("l2.latency.near").value.is_number_float());
  CHECK(read.facts.at("l1_data.size").interval == std::pair(254976.0, 254976.0));
  CHECK(read.facts.at("device.name").value == "A \"GPU\"\n\x7f\x01 \\ é");
}

TEST_CASE("equal topologies give equal bytes, whatever the order in which facts arrived") {
  Topology one;
  Topology other;
  add_fact(one, "l1_data.size", fact(1, "B", 1));
  add_fact(one, "l2.size", fact(2, "B", 1));
  add_fact(other, "l2.size", fact(2, "B", 1));
  add_fact(other, "l1_data.size", fact(1, "B", 1));
  CHECK(to_toml(one) == to_toml(other));
}

TEST_CASE("a fact stands in the file as people read it") {
  const std::string text = to_toml(sample());
  CHECK_THAT(text, ContainsSubstring(R"([l1_data.size]
value = 254976.0
unit = "B"
source = "measured"
method = "retained-lines"
probe = "data-cache/l1.size"
scope = "sm"
confidence = 0.999
interval = [254976.0, 254976.0]
samples = 132
conditions = { carveout = "max-l1", sm_clock_mhz = 1980 }
evidence = "l1_data.size"
)"));
  CHECK_THAT(text, ContainsSubstring("[outcomes.\"l1_data.sets\"]\n"));
  CHECK_THAT(text, ContainsSubstring("[probes.\"data-cache/l1.size\"]\n"));
}

TEST_CASE("a written topology names its schema on the first line and satisfies it") {
  const std::string text = to_toml(sample());
  CHECK(text.starts_with("#:schema " + schema_file("topology").string() + "\nschema_version = 2\n"));
  CHECK(named_schema_violations(parse_toml(text, "t.toml"), "topology").empty());
}

TEST_CASE("no line of a written topology is longer than 120 columns, long lists included") {
  Topology topology;
  add_fact(topology, "l2.latency_by_sm", fact(Json(std::vector<double>(132, 261.25)), "cycle", 1));
  std::istringstream lines(to_toml(topology));
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.starts_with("#:schema")) CHECK(line.size() <= 120);
  }
}

TEST_CASE("a reason that is no valid UTF-8 does not make the file unreadable") {
  Topology topology = sample();
  topology.outcomes["l1_data.sets"].reason = "plugin said \xff\xfe";
  const TemporaryFolder folder;
  CHECK_NOTHROW(read_topology(folder.write("topology.toml", to_toml(topology))));
}

TEST_CASE("a misspelled field of a fact is refused with the nearest right name") {
  const std::string refusal = refusal_of(good_fact + "sorce = \"measured\"\nconfidence = 1\n");
  CHECK_THAT(refusal,
             ContainsSubstring("t.toml:10:1: l1_data.size.sorce: expected a table, found \"measured\"; did you "
                               "mean 'source'?"));
  CHECK_THAT(refusal, ContainsSubstring("t.toml:3:10: l1_data.size: the key source is missing"));
}

TEST_CASE("a field out of its range is refused with its place and what was expected") {
  CHECK(refusal_of(good_fact + "source = \"measured\"\nconfidence = 1.5\n") ==
        "t.toml:11:1: l1_data.size.confidence: expected a number from 0 to 1, found 1.5\n");
  CHECK(refusal_of(good_fact + "source = \"guessed\"\nconfidence = 1\n") ==
        "t.toml:10:1: l1_data.size.source: expected one of \"measured\", \"api\", \"derived\", found \"guessed\"\n");
  CHECK(refusal_of("[outcomes.\"l1_data.size\"]\nstatus = \"pass\"\nprobe = \"p\"\n").find("t.toml:4:1: outcomes.") ==
        0);
}

TEST_CASE("a topology of another schema version is refused") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(read_topology(folder.write("t.toml", "schema_version = 3\n[provenance]\n")),
                    ContainsSubstring("t.toml:1:1: schema_version: 3 is of a newer Tomograph, this one reads 1 and 2"));
}

TEST_CASE("a capacity with an interval becomes a real when a topology of version 1 is read, a counted one does not") {
  const TemporaryFolder folder;
  const std::string rest =
      "unit = \"B\"\nsource = \"measured\"\nmethod = \"m\"\nprobe = \"p\"\nscope = \"sm\"\n"
      "confidence = 0.9\nsamples = 1\n";
  const auto file = folder.write("t.toml", "schema_version = 1\n[provenance]\n[l1_data.size]\nvalue = 2048\n" + rest +
                                               "interval = [1920, 2560]\n[l1_data.line_size]\nvalue = 128\n" + rest);
  const Topology topology = read_topology(file);
  CHECK(topology.facts.at("l1_data.size").value.is_number_float());
  CHECK(topology.facts.at("l1_data.line_size").value.is_number_integer());
  const std::string text = to_toml(topology);
  CHECK_THAT(text, ContainsSubstring("schema_version = 2"));
  CHECK_THAT(text, ContainsSubstring("value = 2048.0\n"));
  CHECK_THAT(text, ContainsSubstring("interval = [1920.0, 2560.0]\n"));
  CHECK_THAT(text, ContainsSubstring("value = 128\n"));
}

TEST_CASE("a key that no fact can have is refused with its place") {
  CHECK(refusal_of("[l1_data.Size]\n") == "t.toml:3:10: l1_data.Size: expected a key that matches ^[a-z0-9_]+$\n");
}
