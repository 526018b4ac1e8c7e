#include "topology/evidence.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "temporary_folder.hpp"
#include "tomograph/documents/input_error.hpp"

using namespace tomograph;
using namespace tomograph::host;
using Catch::Matchers::ContainsSubstring;
using tomograph::Numbers;

namespace {

Evidence sample() {
  Evidence evidence;
  evidence["data-cache/l1.size"]["l1_data.size"] = {
      {"size_B", Numbers(std::vector<std::int64_t>{1024, std::numeric_limits<std::int64_t>::max()})},
      {"miss_ratio", Numbers(std::vector<double>{0.1, 1.0 / 3.0, 1.0})}};
  evidence["data-cache/l2.size"]["l2.size"] = {{"empty", Numbers(std::vector<std::int64_t>{})}};
  return evidence;
}

}  // namespace

TEST_CASE("evidence reads back as it was written, columns in their order") {
  const TemporaryFolder folder;
  const auto file = folder.write("evidence.json", to_json_text(sample()));
  CHECK(read_evidence(file) == sample());
  CHECK(to_json_text(read_evidence(file)) == to_json_text(sample()));
}

TEST_CASE("evidence is plain JSON: probe, curve, column") {
  const auto json = nlohmann::json::parse(to_json_text(sample()));
  CHECK(json.at("schema_version") == 1);
  CHECK(json.at("evidence").at("data-cache/l1.size").at("l1_data.size").at("miss_ratio").at(0) == 0.1);
  CHECK(nlohmann::json::parse(to_json_text({})).at("evidence").empty());
}

TEST_CASE("numbers that JSON cannot hold become null and come back as not-a-number") {
  Evidence evidence;
  evidence["p"]["c"] = {{"x", Numbers(std::vector<double>{0.5, std::nan(""), HUGE_VAL})}};
  const TemporaryFolder folder;
  const Evidence read = read_evidence(folder.write("e.json", to_json_text(evidence)));
  const auto& column = std::get<std::vector<double>>(read.at("p").at("c").at(0).numbers);
  REQUIRE(column.size() == 3);
  CHECK(column[0] == 0.5);
  CHECK(std::isnan(column[1]));
}

TEST_CASE("what is no evidence file is refused by name") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(read_evidence(folder / "none.json"), ContainsSubstring("none.json: cannot be read"));
  CHECK_THROWS_AS(read_evidence(folder.write("cut.json", to_json_text(sample()).substr(0, 100))), InputError);
  CHECK_THROWS_WITH(read_evidence(folder.write("bad.json", "{\"schema_version\": 1,\n oops}")),
                    ContainsSubstring("bad.json:2:2: malformed JSON: ") && ContainsSubstring("do without") &&
                        !ContainsSubstring("json.exception"));
  CHECK_THROWS_WITH(read_evidence(folder.write("empty.json", "{}")),
                    ContainsSubstring("empty.json: no evidence file: key 'schema_version' not found"));
  CHECK_THROWS_WITH(read_evidence(folder.write("new.json", R"({"schema_version": 2, "evidence": {}})")),
                    ContainsSubstring("new.json: expected schema_version 1, found 2"));
}
