#include "documents/schema.hpp"

#include <algorithm>

#include "catch.hpp"

using namespace tomograph;
using namespace tomograph::host;

namespace {

/// The problems of a file of this tree, without the path of the tree.
std::vector<std::string> problems_of(const std::string& file, std::string_view schema) {
  const std::filesystem::path folder = std::filesystem::path(TOMOGRAPH_SOURCE_DIR) / "tests/schemas";
  std::vector<std::string> problems;
  for (Problem problem : named_schema_violations(read_toml(folder / file), schema)) {
    problem.file = file;
    problems.push_back(to_string(problem));
  }
  return problems;
}

using Problems = std::vector<std::string>;

}  // namespace

TEST_CASE("a file of another kind, or of a newer version, is told in one sentence") {
  const auto only_problem = [](const char* text, std::string_view schema) {
    const auto problems = named_schema_violations(parse_toml(text, "mine.toml"), schema);
    REQUIRE(problems.size() == 1);
    return to_string(problems[0]);
  };
  const char* topology = "schema_version = 2\n[provenance]\n[l2.size]\nvalue = 1\n";
  CHECK(only_problem(topology, "simulated-gpu") == "mine.toml: this is a topology; expected a simulated GPU");
  CHECK(only_problem("#:schema ../kernel.schema.json\nname = 'k'\n", "profile") ==
        "mine.toml: this is a kernel; expected an interval profile");
  CHECK(only_problem("\nschema_version = 3\n[provenance]\nx.y = 1\n[l2.size]\nvalue = 1\n", "topology") ==
        "mine.toml:2:1: schema_version: 3 is of a newer Tomograph, this one reads 1 and 2");
  CHECK(only_problem("schema_version = 3\n[provenance]\n", "fleet") ==
        "mine.toml: this is a topology; expected a fleet");
}

TEST_CASE("of many problems the first ten are printed, and how many more there are") {
  const std::vector<Problem> problems(514, Problem{.file = "f", .message = "m"});
  const std::string text = InputError(problems).what();
  CHECK(std::count(text.begin(), text.end(), '\n') == 10);
  CHECK(text.ends_with("f: m\nand 504 more"));
  CHECK(InputError(std::vector(problems.begin(), problems.begin() + 10)).what() == text.substr(0, text.find("\nand")));
}

TEST_CASE("each violation is told once, at its line and key, with what was expected") {
  CHECK(problems_of("invalid/confidence-above-one.toml", "topology") ==
        Problems{"invalid/confidence-above-one.toml:17:1: device.sm_count.confidence: expected a number from 0 to 1, "
                 "found 1.01"});
  CHECK(problems_of("invalid/key-in-upper-case.toml", "topology") ==
        Problems{"invalid/key-in-upper-case.toml:4:2: L1: expected a key that matches ^[a-z0-9_]+$"});
  CHECK(problems_of("invalid/unknown-status.toml", "topology") ==
        Problems{"invalid/unknown-status.toml:5:1: outcomes.\"l1_data.size\".status: expected one of \"measured\", "
                 "\"skipped\", \"inconclusive\", \"failed\", \"crashed\", \"timed-out\", \"blocked\", found \"pass\""});
  CHECK(problems_of("invalid/topology-without-provenance.toml", "topology") ==
        Problems{"invalid/topology-without-provenance.toml: the key provenance is missing"});
  CHECK(problems_of("invalid/fact-without-value.toml", "topology") ==
        Problems{"invalid/fact-without-value.toml:4:10: l1_data.size: the key value is missing"});
  CHECK(problems_of("invalid/list-as-parameter.toml", "configuration") ==
        Problems{"invalid/list-as-parameter.toml:3:1: devices.sim.seed: expected true or false or a number or text, "
                 "found [1]"});
}

TEST_CASE("a simulated GPU is checked by a schema, too") {
  const auto gpu = read_toml(std::filesystem::path(TOMOGRAPH_SOURCE_DIR) / "plugins/devices/sim/gpus/small.toml");
  CHECK(named_schema_violations(gpu, "simulated-gpu").empty());
  TomlDocument misspelled = gpu;
  misspelled.value["sm_cuont"] = 4;
  const auto problems = named_schema_violations(misspelled, "simulated-gpu");
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].key == "sm_cuont");
  CHECK(problems[0].message == "unknown key; did you mean 'sm_count'?");
}

TEST_CASE("a schema that does not exist is a mistake of the program") {
  CHECK_THROWS_AS(named_schema_violations(TomlDocument{}, "nonsense"), std::invalid_argument);
}
