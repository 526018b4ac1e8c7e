#include "reporting/differences.hpp"

#include "catch.hpp"

using namespace tomograph::host;
using Catch::Matchers::ContainsSubstring;

namespace {

Topology with_fact(const std::string& key, const Json& value, const std::string& unit = "") {
  Topology topology;
  FactRecord record;
  record.value = value;
  record.unit = unit;
  record.source = "measured";
  record.confidence = 1;
  topology.facts[key] = record;
  return topology;
}

std::string diff(const std::string& key, const Json& a, const Json& b) {
  const Topology one = with_fact(key, a);
  const Topology other = with_fact(key, b);
  return differences_text(compare(one, other, {}), one, other, false, false);
}

}  // namespace

TEST_CASE("of tables that differ, diff says how many of their rows do, and which is the first") {
  Json map = Json::array();
  for (int sm = 0; sm < 132; ++sm) map.push_back({sm / 2, sm / 6, sm / 18});
  Json other = map;
  other[17][0] = 99;
  other[18][0] = 99;
  other[131][2] = 99;
  CHECK_THAT(diff("sm.map", map, other),
             ContainsSubstring("132 rows  132 rows  3 of 132 rows differ, first: row 17\n"));
  const Json index{{"kind", "masks"}, {"masks", {1, 2}}, {"sets", 4}};
  Json changed = index;
  changed["sets"] = 8;
  CHECK_THAT(diff("l2.index", index, changed), ContainsSubstring("1 of 3 entries differs, first: entry sets\n"));
  CHECK_THAT(diff("tlb.l2.sm_groups", {{0, 1}, {2, 3}}, {{0, 2}, {1, 3}}),
             ContainsSubstring("2 of 2 groups differ, first: group 0\n"));
}

TEST_CASE("of tables that differ in size, diff shows the sizes") {
  const std::string text = diff("device.gpus", Json::array({std::string(40, 'a')}), {std::string(40, 'a'), "b"});
  CHECK_THAT(text, ContainsSubstring("1 entry  2 entries\n"));
}
