#include "loading/description.hpp"

#include "catch.hpp"

using namespace tomograph::host;

TEST_CASE("a description survives JSON without loss") {
  PluginDescription plugin;
  plugin.path = "/plugins/x.so";
  plugin.sha256 = "abc";
  plugin.id = "x";
  plugin.version = "1.2.3";
  plugin.description = "Größe";
  plugin.abi_major = 1;
  plugin.probes.push_back({"x/p",
                           "What?",
                           {{"f.a", "B", "help", ValueType::table, Scope::partition}},
                           {{"f.b", true}},
                           {{"ratio", "help", ValueType::real, 0.1, 0.7, 0.3}},
                           1.5,
                           20,
                           true,
                           "saavedra1992",
                           LinkUse::host,
                           true});
  plugin.devices.push_back({"d", "A device", "a number", {{"name", "", ValueType::text, 0, 0, "n"}}, true});
  plugin.executors.push_back({"x.e/1", "cuda", "An executor"});
  plugin.exporters.push_back({"csv", "A format", ".csv", {{"n", "", ValueType::integer, 0, 9, 1}}, 60, true, false});
  const Json json = to_json(plugin);
  CHECK(to_json(description_from_json(Json::parse(json.dump()))) == json);
  CHECK(json.at("probes").at(0).at("provides").at(0).at("scope") == "partition");
  CHECK(json.at("probes").at(0).at("uses_links") == LinkUse::host);
  CHECK(json.at("probes").at(0).at("shares_device") == true);
  CHECK(json.at("exporters").at(0).at("suffix") == ".csv");
  CHECK(json.at("executors").at(0).at("device") == "cuda");
  CHECK(json.at("devices").at(0).at("parameters").at(0).at("type") == "text");
}
