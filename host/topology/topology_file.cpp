#include "topology/topology_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "documents/schema.hpp"
#include "documents/toml_document.hpp"
#include "documents/toml_text.hpp"
#include "topology/record_fields.hpp"

namespace tomograph::host {
namespace {

/// Interval bounds of an integer value are integers, too, where they are whole.
Json bound(double value, const Json& fact_value) {
  constexpr double exact_integers = 9007199254740992.0;  // 2^53
  const bool whole = std::floor(value) == value && std::abs(value) < exact_integers;
  return fact_value.is_number_integer() && whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

Json to_json(const FactRecord& record) {
  Json fields{{"value", record.value},           {"unit", record.unit},      {"source", record.source},
              {"method", record.method},         {"probe", record.probe},    {"scope", record.scope},
              {"confidence", record.confidence}, {"samples", record.samples}};
  if (record.interval) {
    fields["interval"] = {bound(record.interval->first, record.value), bound(record.interval->second, record.value)};
  }
  if (!record.conditions.empty()) fields["conditions"] = record.conditions;
  if (!record.evidence.empty()) fields["evidence"] = record.evidence;
  return fields;
}

FactRecord record_from(const Json& fields) {
  FactRecord record{.value = fields.at("value"),
                    .unit = fields.at("unit"),
                    .source = fields.at("source"),
                    .method = fields.at("method"),
                    .probe = fields.at("probe"),
                    .scope = fields.at("scope"),
                    .confidence = fields.at("confidence"),
                    .interval = std::nullopt,
                    .samples = fields.at("samples"),
                    .conditions = fields.value("conditions", Json::object()),
                    .evidence = fields.value("evidence", "")};
  if (fields.contains("interval")) record.interval = fields.at("interval").get<std::pair<double, double>>();
  return record;
}

Json to_json(const Outcome& outcome) {
  Json fields{{"status", outcome.status}, {"probe", outcome.probe}};
  if (!outcome.reason.empty()) fields["reason"] = outcome.reason;
  if (!outcome.category.empty()) fields["category"] = outcome.category;
  return fields;
}

Json to_json(const ProbeRun& run) {
  Json fields{{"status", run.status}, {"seconds", run.seconds}, {"experiments", run.experiments}};
  if (!run.reason.empty()) fields["reason"] = run.reason;
  return fields;
}

/// A fact's table, its fields in the order in which one reads them.
std::string fact_table(const std::string& key, const Json& fields) {
  std::string text = "[" + key + "]\n";
  for (const std::string_view name : record_fields) {
    if (const auto field = fields.find(name); field != fields.end()) {
      text += std::string(name) + " = " + toml_value(*field) + "\n";
    }
  }
  return text;
}

/// Adds the facts in `table`, which stands at `key`. A table may be a fact and hold longer keys at once.
void collect_facts(const Json& table, const std::string& key, std::map<std::string, FactRecord>& facts) {
  if (table.contains("value")) facts.emplace(key, record_from(table));
  for (const auto& [name, member] : table.items()) {
    if (std::ranges::find(record_fields, name) != record_fields.end()) continue;
    collect_facts(member, fmt::format("{}.{}", key, name), facts);
  }
}

Json& nested(Json& root, const std::string& key) {
  Json* node = &root;
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    node = &(*node)[key.substr(begin, end - begin)];
    begin = end + 1;
  }
  return *node;
}

}  // namespace

std::string to_toml(const Topology& topology) {
  std::string text = "#:schema " + schema_file("topology").string() + "\n";
  text += "schema_version = " + std::to_string(Topology::schema_version) + "\n";
  text += "\n" + toml_table("provenance", topology.provenance);
  for (const auto& [key, record] : topology.facts) text += "\n" + fact_table(key, to_json(record));
  for (const auto& [key, outcome] : topology.outcomes) {
    text += "\n" + toml_table("outcomes." + toml_name(key), to_json(outcome));
  }
  for (const auto& [id, run] : topology.probes) text += "\n" + toml_table("probes." + toml_name(id), to_json(run));
  return text;
}

Json to_json(const Topology& topology) {
  Json root{{"schema_version", Topology::schema_version}, {"provenance", topology.provenance}};
  for (const auto& [key, record] : topology.facts) nested(root, key).update(to_json(record));
  root["outcomes"] = Json::object();
  for (const auto& [key, outcome] : topology.outcomes) root["outcomes"][key] = to_json(outcome);
  root["probes"] = Json::object();
  for (const auto& [id, run] : topology.probes) root["probes"][id] = to_json(run);
  return root;
}

Topology read_topology(const std::filesystem::path& path) {
  const TomlDocument document = read_toml(path);
  if (auto problems = schema_violations(document, "topology"); !problems.empty()) throw InputError(std::move(problems));
  Topology topology{.provenance = document.value.at("provenance"), .facts = {}, .outcomes = {}, .probes = {}};
  for (const auto& [name, member] : document.value.items()) {
    if (std::ranges::find(root_names, name) == root_names.end()) collect_facts(member, name, topology.facts);
  }
  const Json outcomes = document.value.value("outcomes", Json::object());
  for (const auto& [key, outcome] : outcomes.items()) {
    topology.outcomes[key] = {.status = outcome.at("status"),
                              .reason = outcome.value("reason", ""),
                              .category = outcome.value("category", ""),
                              .probe = outcome.at("probe")};
  }
  const Json probes = document.value.value("probes", Json::object());
  for (const auto& [id, run] : probes.items()) {
    topology.probes[id] = {.status = run.at("status"),
                           .reason = run.value("reason", ""),
                           .seconds = run.at("seconds"),
                           .experiments = run.at("experiments")};
  }
  return topology;
}

}  // namespace tomograph::host
