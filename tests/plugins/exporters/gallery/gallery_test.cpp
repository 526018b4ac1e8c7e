#include "gallery.hpp"

#include <cstdlib>

#include "catch.hpp"
#include "recorded.hpp"
#include "temporary_folder.hpp"

using namespace tomograph;
using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::json;

namespace {

/// The head of the text, and the rest as JSON.
Json parsed(const std::string& text) { return parse_toml(text, "gallery.toml").value; }

std::string published(const EditedTopology& topology) {
  return gallery::publishable(topology.topology(), "node17.cluster.example", "maria");
}

/// A topology whose provenance and reasons name a machine, a user and their files.
EditedTopology telling() {
  EditedTopology topology("h200");
  topology.set("device.pci_bus_id", "0000:65:00.0");
  topology.set("device.uuid", "GPU-67073359-336f-d1dd-98b1-c6442d472a71");
  topology.member("/provenance/device/name") = "replay:tests/recordings/h200.rec";
  topology.member("/provenance/plugins/0/path") = "/home/maria/plugins/x.so";
  topology.member("/provenance/configuration") = Json::array({{{"path", "/etc/t.toml"}, {"sha256", "00"}}});
  topology.member("/provenance/conditions/pci_bus_id") = "0000:65:00.0";
  topology.member("/provenance/machine") = {{"name", "login9"}, {"system", "Debian"}};
  topology.member("/provenance/device/parameters") = {{"file", "node17.rec"}};
  topology.member("/provenance/options/probes") = {{"x", "see ~/notes, ./a or '../b'"}};
  topology.member("/outcomes/l2.sets/reason") =
      "node17 refused maria (maria@node17.cluster.example) GPU-67073359-336f-d1dd-98b1-c6442d472a71 at /dev/nvidia0";
  return topology;
}

}  // namespace

TEST_CASE("nothing that names machine, user or files is published") {
  const std::string text = published(telling());
  for (const char* secret :
       {"maria", "node17", "login9", "67073359", "0000:65", "/home", "/etc", "/dev", "~/notes", "./a", "../b", ".so"}) {
    INFO(secret);
    CHECK(text.find(secret) == std::string::npos);
  }
}

TEST_CASE("of the GPUs of a node, how many there are is published but not which") {
  EditedTopology topology;
  topology.set("device.gpus", {"GPU-67073359-336f-d1dd-98b1-c6442d472a71", "MIG-77073359-336f-d1dd-98b1-c6442d472a72"});
  const std::string text = published(topology);
  CHECK_THAT(text, ContainsSubstring("UUIDs (2)"));
  CHECK(parsed(text).at("device").at("gpus").at("value") == Json({"(removed)", "(removed)"}));
}

TEST_CASE("a topology that another machine measured does not name that machine") {
  EditedTopology topology;
  topology.set("device.name", "X");
  topology.member("/provenance/machine") = {{"name", "login9.cluster.example"}};
  topology.member("/provenance/options/given") = Json::array({"measured on login9"});
  topology.member("/outcomes/l2.sets") = {
      {"status", "failed"}, {"probe", "x/y"}, {"reason", "the driver of login9.cluster.example refused"}};
  const std::string text = published(topology);
  CHECK(text.find("login9") == std::string::npos);
  CHECK(text.find("cluster.example") == std::string::npos);
  CHECK_THAT(text, ContainsSubstring("# - the name of the measuring machine (2)\n"));
  CHECK_THAT(text, ContainsSubstring("the driver of (removed) refused"));
  CHECK(text.find("user") == std::string::npos);
}

TEST_CASE("the text says what was removed") {
  const std::string text = published(telling());
  const std::string head = text.substr(0, text.find("\n\n"));
  for (const char* what : {"device.uuid (1)", "device.pci_bus_id (1)", "provenance.plugins[].path (1)",
                           "provenance.configuration[].path (1)", "paths (4)", "provenance.device.parameters (1)",
                           "the name of the exporting machine (1)", "the name of the exporting user (1)",
                           "addresses (1)", "UUIDs (1)", "provenance.machine.name (1)",
                           "provenance.conditions.pci_bus_id (1)", "the file in provenance.device.name (1)"}) {
    CHECK_THAT(head, ContainsSubstring(std::string("# - ") + what));
  }
  CHECK(published(EditedTopology().set("l2.size", 1, "B"))
            .starts_with("#:schema ../schemas/topology.schema.json\n# Removed by `tomograph export gallery`:\n\n"));
}

TEST_CASE("every fact but the UUID stays as it was") {
  EditedTopology whole("h200");
  whole.set("device.uuid", "GPU-67073359-336f-d1dd-98b1-c6442d472a71");
  const auto before = whole.topology();
  const Topology after("gallery.toml", parsed(published(whole)).dump());
  CHECK(after.facts().size() == before.facts().size() - 1);
  for (const auto& [key, fact] : after.facts()) {
    INFO(key);
    REQUIRE(before.fact(key) != nullptr);
    CHECK(to_json(fact.value) == to_json(before.fact(key)->value));
    CHECK(to_json(fact.conditions) == to_json(before.fact(key)->conditions));
    CHECK(fact.probe == before.fact(key)->probe);
  }
}

TEST_CASE("a machine or user with an everyday name spoils no fact") {
  const auto topology = EditedTopology("h200").topology();
  const Topology after("gallery.toml", parsed(gallery::publishable(topology, "device", "lru")).dump());
  CHECK(after.value<std::string>("tlb.l2.replacement") == "lru");
  CHECK(after.fact("l2.latency")->scope == "device");
}

TEST_CASE("what is published is a topology that `show` reads") {
  const TemporaryFolder folder;
  const auto file = folder.write("gallery.toml", published(telling()));
  CHECK(std::system((TOMOGRAPH_BINARY " show " + file.string() + " >" + (folder / "out").string()).c_str()) == 0);
  CHECK_THAT(content_of(folder / "out"), ContainsSubstring("NVIDIA H200"));
}
