#include "loading/device_facts.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include "catch.hpp"
#include "topology/topology_file.hpp"

using namespace tomograph::host;

namespace {

namespace fs = std::filesystem;

const fs::path source = TOMOGRAPH_SOURCE_DIR;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// All parts of the text that a pattern's first group matches.
std::set<std::string> matches_in(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    found.insert((*match)[1].str());
  }
  return found;
}

/// The keys of facts that devices may publish, among the literals in the sources below a folder.
std::set<std::string> device_facts_below(const fs::path& folder) {
  std::set<std::string> keys;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".cpp" && extension != ".hpp") continue;
    for (const std::string& key : matches_in(text_of(entry.path()), std::regex("\"([a-z0-9_]+(\\.[a-z0-9_]+)+)\""))) {
      if (is_device_fact(key)) keys.insert(key);
    }
  }
  return keys;
}

/// What devices.md says of a key: "integer, B".
std::map<std::string, std::string> documented_facts() {
  const std::string text = text_of(source / "sdk/devices.md");
  std::map<std::string, std::string> documented;
  const std::regex group("((`[a-z0-9_.]+`(, )?)+) \\(([^)]*)\\)");
  const std::string facts = text.substr(text.find("## Facts"));
  for (std::sregex_iterator match(facts.begin(), facts.end(), group), end; match != end; ++match) {
    for (const std::string& key : matches_in((*match)[1], std::regex("`([^`]*)`"))) documented[key] = (*match)[4];
  }
  return documented;
}

}  // namespace

TEST_CASE("what devices publish unasked is told from what probes measure") {
  for (const char* key : {"device.name", "l2.nominal_size", "dram.bandwidth.theoretical", "dram.free"})
    CHECK(is_device_fact(key));
  for (const char* key : {"l2.size", "devices.name", "nominal_size.x"}) CHECK_FALSE(is_device_fact(key));
}

TEST_CASE("every fact that the shipped devices name is one that all devices know") {
  for (const char* device : {"cuda", "sim", "replay"}) {
    for (const std::string& key : device_facts_below(source / "plugins/devices" / device)) {
      INFO(device << " " << key);
      CHECK(find_device_fact(key) != nullptr);
    }
  }
}

TEST_CASE("the facts that real GPUs published, and those that simulated ones may, have the known types and units") {
  for (const char* file : {"gallery/nvidia-h200.toml", "gallery/nvidia-h100-80gb-hbm3.toml",
                           "tests/recordings/h200.toml", "tests/recordings/h200-links.toml"}) {
    for (const auto& [key, record] : read_topology(source / file).facts) {
      if (record.source != "api" || !record.probe.starts_with("cuda")) continue;
      INFO(file << " " << key);
      const DeviceFact* fact = find_device_fact(key);
      REQUIRE(fact != nullptr);
      CHECK(is_of_type(record.value, fact->type));
      CHECK(record.unit == fact->unit);
    }
  }
  const Json schema = Json::parse(text_of(source / "schemas/simulated-gpu.schema.json"));
  for (const auto& [key, property] : schema.at("properties").at("api").at("properties").items()) {
    INFO(key);
    const DeviceFact* fact = find_device_fact(key);
    REQUIRE(fact != nullptr);
    CHECK((property.at("type") == "string") == (fact->type == ValueType::text));
  }
}

TEST_CASE("the authors' guide to devices has the types and units of every fact that a shipped probe or model needs") {
  const auto documented = documented_facts();
  for (const auto& [key, said] : documented) {
    INFO(key << " " << said);
    const DeviceFact* fact = find_device_fact(key);
    REQUIRE(fact != nullptr);
    const bool has_unit = !fact->unit.empty() && fact->unit != "1";
    const std::string expected = std::string(to_string(fact->type)) + (has_unit ? ", " + std::string(fact->unit) : "");
    CHECK((said == expected || (fact->type == ValueType::text && said.starts_with("text, "))));
  }
  for (const char* kind : {"probes", "models"}) {
    for (const std::string& key : device_facts_below(source / "plugins" / kind)) {
      if (find_device_fact(key) == nullptr) continue;  // measured
      INFO(key);
      CHECK(documented.contains(key));
    }
  }
}
