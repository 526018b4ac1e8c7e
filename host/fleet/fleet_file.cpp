#include "fleet/fleet_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "documents/schema.hpp"
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
  return {{"gpus", cohort.gpus}, {"facts", std::move(facts)}, {"differences", std::move(differences)}};
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

}  // namespace

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
  for (const Cohort& cohort : fleet.cohorts) {
    text += fmt::format("{} x {}: {} continuous facts compared; in {} discrete facts some differ\n", cohort.gpus.size(),
                        cohort.device, cohort.facts.size(), cohort.differences.size());
  }
  if (fleet.odd.empty()) text += "no GPU is odd\n";
  for (const OddGpu& gpu : fleet.odd) text += fmt::format("{} is odd: {}\n", gpu.gpu, gpu.reason);
  return text + fmt::format("false alarms: at most one in {:.3g} sound fleets ({} tests)\n", 1 / fleet.false_alarm_rate,
                            fleet.tests);
}

}  // namespace tomograph::host
