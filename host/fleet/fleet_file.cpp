#include "fleet/fleet_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <utility>

#include "documents/schema.hpp"
#include "tomograph/documents/input_error.hpp"
#include "tomograph/documents/toml_document.hpp"
#include "tomograph/documents/toml_text.hpp"

namespace tomograph::host {
namespace {

using Json = nlohmann::json;

/// Hundredths tell spreads apart well enough, and a fleet has millions of them.
double rounded(double z) { return std::round(100 * z) / 100; }

Json to_json(const FactSpread& fact) {
  Json z = Json::array();
  for (const double one : fact.z) z.push_back(rounded(one));
  Json json{{"unit", fact.unit},   {"median", fact.median},     {"spread", fact.spread},
            {"least", fact.least}, {"greatest", fact.greatest}, {"z", std::move(z)}};
  if (!fact.without.empty()) json["without"] = fact.without;
  return json;
}

Json to_json(const FactDifferences& differences) {
  Json others = Json::array();
  for (const ValueHolders& other : differences.others) {
    others.push_back({{"value", other.value}, {"gpus", other.gpus}});
  }
  return {{"usual", differences.usual}, {"count", differences.count}, {"others", std::move(others)}};
}

Json to_json(const Cohort& cohort) {
  Json facts = Json::object();
  for (const FactSpread& fact : cohort.facts) facts[fact.key] = to_json(fact);
  Json differences = Json::object();
  for (const FactDifferences& one : cohort.differences) differences[one.key] = to_json(one);
  Json fingerprints = Json::object();
  for (const auto& [gpu, one] : cohort.fingerprints) fingerprints[gpu] = {{"error", one.error}, {"cycles", one.cycles}};
  return {{"gpus", cohort.gpus},
          {"facts", std::move(facts)},
          {"differences", std::move(differences)},
          {"fingerprints", std::move(fingerprints)}};
}

Json to_json(const OddGpu& odd) {
  Json facts = Json::array();
  for (const OddFact& fact : odd.facts) {
    facts.push_back({{"key", fact.key},
                     {"value", fact.value},
                     {"usual", fact.usual},
                     {"change", fact.change},
                     {"z", rounded(fact.z)}});
  }
  return {{"gpu", odd.gpu}, {"device", odd.device}, {"reason", odd.reason}, {"facts", std::move(facts)}};
}

FactSpread fact_from(const std::string& key, const Json& json) {
  return {.key = key,
          .unit = json.at("unit"),
          .median = json.at("median"),
          .spread = json.at("spread"),
          .least = json.at("least"),
          .greatest = json.at("greatest"),
          .z = json.at("z").get<std::vector<double>>(),
          .without = json.value("without", std::vector<std::string>())};
}

FactDifferences differences_from(const std::string& key, const Json& json) {
  FactDifferences differences{key, json.at("usual"), json.at("count"), {}};
  for (const Json& other : json.at("others")) differences.others.push_back({other.at("value"), other.at("gpus")});
  return differences;
}

Cohort cohort_from(const std::string& device, const Json& json) {
  Cohort cohort{device, json.at("gpus"), {}, {}};
  const Json facts = json.value("facts", Json::object());
  const Json differences = json.value("differences", Json::object());
  const Json fingerprints = json.value("fingerprints", Json::object());
  for (const auto& [key, fact] : facts.items()) cohort.facts.push_back(fact_from(key, fact));
  for (const auto& [key, one] : differences.items()) cohort.differences.push_back(differences_from(key, one));
  for (const auto& [gpu, one] : fingerprints.items()) {
    cohort.fingerprints[gpu] = {one.at("cycles").get<std::vector<double>>(), one.at("error")};
  }
  return cohort;
}

bool is_compared(const Cohort& cohort) { return cohort.gpus.size() >= smallest_cohort; }

std::string cohort_line(const Cohort& cohort) {
  if (!is_compared(cohort)) {
    return fmt::format("{} {}: not compared, at least {} are needed\n", cohort.gpus.size(), cohort.device,
                       smallest_cohort);
  }
  const std::size_t differing = cohort.differences.size();
  return fmt::format("{} x {}: {} continuous facts compared; {} discrete {} between GPUs\n", cohort.gpus.size(),
                     cohort.device, cohort.facts.size(), differing, differing == 1 ? "fact differs" : "facts differ");
}

OddGpu odd_from(const Json& json) {
  OddGpu odd{json.at("gpu"), json.at("device"), {}, json.at("reason")};
  for (const Json& fact : json.at("facts")) {
    odd.facts.push_back({fact.at("key"), fact.at("value"), fact.at("usual"), fact.at("change"), fact.at("z")});
  }
  return odd;
}

}  // namespace

bool is_fleet_file(const std::filesystem::path& file) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line) && !line.starts_with('[');) {
    if (line.starts_with("false_alarm_rate")) return true;
  }
  return false;
}

Json read_fleet_json(const std::filesystem::path& file) {
  TomlDocument document = read_toml(file);
  if (auto problems = named_schema_violations(document, "fleet"); !problems.empty()) throw InputError(problems);
  return std::move(document.value);
}

Fleet read_fleet(const std::filesystem::path& file) {
  const Json root = read_fleet_json(file);
  Fleet fleet{root.at("false_alarm_rate"), root.at("tests"), root.at("gpus"), {}, {}};
  for (const Json& odd : root.at("odd")) fleet.odd.push_back(odd_from(odd));
  const Json cohorts = root.value("cohorts", Json::object());
  for (const auto& [device, cohort] : cohorts.items()) {
    fleet.cohorts.push_back(cohort_from(device, cohort));
  }
  return fleet;
}

Json to_json(const MergedFleet& merged) {
  const Fleet& fleet = merged.fleet;
  Json odd = Json::array();
  for (const OddGpu& gpu : fleet.odd) odd.push_back(to_json(gpu));
  Json refused = Json::array();
  for (const RefusedFile& file : merged.refused) refused.push_back({{"name", file.name}, {"reason", file.reason}});
  Json cohorts = Json::object();
  for (const Cohort& cohort : fleet.cohorts) cohorts[cohort.device] = to_json(cohort);
  return {{"schema_version", 1},          {"false_alarm_rate", fleet.false_alarm_rate},
          {"tests", fleet.tests},         {"gpus", fleet.gpus},
          {"odd", std::move(odd)},        {"refused", std::move(refused)},
          {"cohorts", std::move(cohorts)}};
}

std::string to_toml(const MergedFleet& merged) {
  Json root = to_json(merged);
  const Json cohorts = std::exchange(root["cohorts"], Json());
  root.erase("cohorts");
  std::string text = "#:schema " + schema_file("fleet").string() + "\n";
  for (const auto& [key, value] : root.items()) text += key + " = " + toml_value(value) + "\n";
  for (const auto& [device, cohort] : cohorts.items()) {
    text += "\n" + toml_table("cohorts." + toml_name(device), cohort);
  }
  return text;
}

std::string fleet_summary(const Fleet& fleet) {
  std::string text;
  for (const Cohort& cohort : fleet.cohorts) text += cohort_line(cohort);
  if (std::ranges::none_of(fleet.cohorts, is_compared)) return text + "no GPU was compared\n";
  if (fleet.odd.empty()) text += "no GPU is odd\n";
  for (const OddGpu& gpu : fleet.odd) text += fmt::format("{} is odd: {}\n", gpu.gpu, gpu.reason);
  return text + fmt::format("false alarms: at most one in {:.3g} sound fleets ({} tests)\n", 1 / fleet.false_alarm_rate,
                            fleet.tests);
}

}  // namespace tomograph::host
