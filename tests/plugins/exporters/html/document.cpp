#include "document.hpp"

#include <catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using tomograph::Topology;
using Json = nlohmann::json;

std::string topology_named(const std::string& name) {
  const Json fact{{"value", name},  {"unit", ""},        {"source", "api"}, {"method", ""},
                  {"probe", "sim"}, {"scope", "device"}, {"samples", 1},    {"confidence", 1}};
  return Json{{"schema_version", 1}, {"provenance", Json::object()}, {"device", {{"name", fact}}}}.dump();
}

}  // namespace

TEST_CASE("the data of a report has each topology with its findings") {
  const std::vector<Topology> topologies{Topology("a.toml", topology_named("A")),
                                         Topology("b.toml", topology_named("B"))};
  const Json data = Json::parse(tomograph::html::page_data(topologies));
  REQUIRE(data.at("topologies").size() == 2);
  CHECK(data.at("topologies")[1].at("name") == "b.toml");
  CHECK(data.at("topologies")[1].at("topology").at("device").at("name").at("value") == "B");
  CHECK(data.at("topologies")[0].at("findings").empty());
  CHECK(data.at("topologies")[0].at("evidence").is_null());
}

TEST_CASE("no text of a topology ends the script that it stands in") {
  const std::string name = "</script><script>alert(1)</script><!--";
  const std::vector<Topology> topologies{Topology("a.toml", topology_named(name))};
  const std::string data = tomograph::html::page_data(topologies);
  CHECK(data.find('<') == std::string::npos);
  CHECK(Json::parse(data).at("topologies")[0].at("topology").at("device").at("name").at("value") == name);
}

TEST_CASE("evidence is packed as zlib and base64 pack it") {
  CHECK(tomograph::html::packed("") == "eNoDAAAAAAE=");
  CHECK(tomograph::html::packed("aaaaaaaaaa") == "eNpLTIQBABThA8s=");
}
