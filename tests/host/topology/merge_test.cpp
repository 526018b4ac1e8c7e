#include "topology/merge.hpp"

#include "catch.hpp"

using namespace tomograph::host;
using Catch::Matchers::ContainsSubstring;

namespace {

FactRecord fact(const std::string& probe, const Json& value, const std::string& source = "measured") {
  FactRecord record;
  record.value = value;
  record.unit = "B";
  record.source = source;
  record.method = "m";
  record.probe = probe;
  record.scope = "sm";
  record.confidence = 1;
  return record;
}

}  // namespace

TEST_CASE("two probes that publish one fact are both named") {
  Topology topology;
  add_fact(topology, "l1_data.size", fact("a/size", 1));
  CHECK_THROWS_WITH(add_fact(topology, "l1_data.size", fact("b/size", 1)),
                    "fact l1_data.size was published by a/size and by b/size");
  CHECK(topology.facts.at("l1_data.size").probe == "a/size");
}

TEST_CASE("a fact's outcome is measured once the fact is there") {
  Topology topology;
  topology.outcomes["l1_data.size"] = {
      .status = OutcomeStatus::inconclusive, .reason = "noise", .category = {}, .probe = "a/size"};
  add_fact(topology, "l1_data.size", fact("a/size", 1));
  CHECK(topology.outcomes.at("l1_data.size").status == OutcomeStatus::measured);
  CHECK(topology.outcomes.at("l1_data.size").reason.empty());
}

TEST_CASE("a key that the file could not hold is refused") {
  CHECK(key_obstacle("l1_data.line_size") == std::nullopt);
  CHECK(key_obstacle("l1_data.unit").has_value());
  CHECK(key_obstacle("outcomes.size").has_value());
  CHECK(key_obstacle("tlb.outcomes") == std::nullopt);
  for (const char* key : {"", ".", "l1_data.", ".size", "L1.size", "l1 data", "a..b"})
    CHECK(key_obstacle(key).has_value());
  Topology topology;
  CHECK_THROWS_WITH(add_fact(topology, "l1_data.value", fact("a", 1)), ContainsSubstring("l1_data.value"));
}

TEST_CASE("a fact with a value that TOML cannot hold is refused, and its probe is named") {
  Topology topology;
  CHECK_THROWS_WITH(add_fact(topology, "l1_data.size", fact("a/size", Json())), ContainsSubstring("a/size"));
}

TEST_CASE("given facts fill what was not measured, and never replace a measurement") {
  Topology given;
  add_fact(given, "l1_data.size", fact("a/size", 100));
  add_fact(given, "l1_data.line_size", fact("a/line", 64));
  Topology topology;
  add_fact(topology, "l1_data.size", fact("a/size", 200));
  topology.outcomes["l1_data.line_size"] = {
      .status = OutcomeStatus::skipped, .reason = "x", .category = SkipCategory::device, .probe = "a/line"};
  add_given(topology, given);
  CHECK(topology.facts.at("l1_data.size").value == 200);
  CHECK(topology.facts.at("l1_data.line_size").value == 64);
  CHECK(topology.outcomes.at("l1_data.line_size").status == OutcomeStatus::measured);
}

TEST_CASE("a measurement that differs from what the API says is a finding") {
  Topology topology;
  add_fact(topology, "l1_data.size", fact("a/size", 254976));
  add_fact(topology, "l1_data.nominal_size", fact("cuda", 262144, "api"));
  const auto findings = disagreements(topology);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].key == "l1_data.size");
  CHECK(findings[0].against == "l1_data.nominal_size");
}

TEST_CASE("agreement is no finding, nor is an API value within a measurement's interval") {
  Topology topology;
  add_fact(topology, "l1_data.size", fact("a/size", 262144));
  add_fact(topology, "l1_data.nominal_size", fact("cuda", 262144, "api"));
  FactRecord soft = fact("a/size", 50'000'000);
  soft.interval = {49'000'000, 53'000'000};
  add_fact(topology, "l2.size", soft);
  add_fact(topology, "l2.nominal_size", fact("cuda", 52'428'800, "api"));
  add_fact(topology, "texture.nominal_size", fact("cuda", 1, "api"));
  CHECK(disagreements(topology).empty());
}
