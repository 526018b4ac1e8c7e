#include "topology/topology_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "documents/schema.hpp"
#include "tomograph/documents/toml_document.hpp"
#include "tomograph/documents/toml_text.hpp"
#include "topology/gallery.hpp"
#include "topology/record_fields.hpp"

namespace tomograph::host {
namespace {

/// A fact's fields in a file, which has no empty tables.
Json file_fields(const FactRecord& record) {
  Json fields = to_json(record);
  if (record.conditions.empty()) fields.erase("conditions");
  return fields;
}

Json to_json(const Outcome& outcome) {
  Json fields{{"status", to_string(outcome.status)}, {"probe", outcome.probe}};
  if (!outcome.reason.empty()) fields["reason"] = outcome.reason;
  if (outcome.category) fields["category"] = to_string(*outcome.category);
  return fields;
}

Outcome outcome_from(const Json& fields) {
  Outcome outcome{.status = outcome_status(fields.at("status").get<std::string>()),
                  .reason = fields.value("reason", ""),
                  .category = std::nullopt,
                  .probe = fields.at("probe")};
  if (fields.contains("category")) outcome.category = skip_category(fields.at("category").get<std::string>());
  return outcome;
}

Json to_json(const ProbeRun& run) {
  Json fields{{"status", to_string(run.status)}, {"seconds", run.seconds}, {"experiments", run.experiments}};
  if (run.plugin_seconds > 0) {
    fields["executing_seconds"] = run.executing_seconds;
    fields["plugin_seconds"] = run.plugin_seconds;
  }
  if (!run.reason.empty()) fields["reason"] = run.reason;
  return fields;
}

/// The table of a fact, with its fields in the order of record_fields.
std::string fact_table(const std::string& key, const Json& fields) {
  std::string text = "[" + key + "]\n";
  for (const std::string_view name : record_fields) {
    if (const auto field = fields.find(name); field != fields.end()) {
      text += std::string(name) + " = " + toml_value(*field) + "\n";
    }
  }
  return text;
}

/// Adds the facts in `table`, whose key is `key`. A table may be a fact and also contain facts with longer keys.
void collect_facts(const Json& table, const std::string& key, std::map<std::string, FactRecord>& facts) {
  if (table.contains("value")) facts.emplace(key, fact_record_from_json(table));
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
  for (const auto& [key, record] : topology.facts) text += "\n" + fact_table(key, file_fields(record));
  for (const auto& [key, outcome] : topology.outcomes) {
    text += "\n" + toml_table("outcomes." + toml_name(key), to_json(outcome));
  }
  for (const auto& [id, run] : topology.probes) text += "\n" + toml_table("probes." + toml_name(id), to_json(run));
  return text;
}

Json to_json(const Topology& topology) {
  Json root{{"schema_version", Topology::schema_version}, {"provenance", topology.provenance}};
  for (const auto& [key, record] : topology.facts) nested(root, key).update(file_fields(record));
  root["outcomes"] = Json::object();
  for (const auto& [key, outcome] : topology.outcomes) root["outcomes"][key] = to_json(outcome);
  root["probes"] = Json::object();
  for (const auto& [id, run] : topology.probes) root["probes"][id] = to_json(run);
  return root;
}

Topology read_topology(const std::filesystem::path& path) {
  const TomlDocument document = read_toml(out_of_gallery(path));
  if (auto problems = named_schema_violations(document, "topology"); !problems.empty())
    throw InputError(std::move(problems));
  Topology topology{.provenance = document.value.at("provenance"), .facts = {}, .outcomes = {}, .probes = {}};
  for (const auto& [name, member] : document.value.items()) {
    if (std::ranges::find(root_names, name) == root_names.end()) collect_facts(member, name, topology.facts);
  }
  const Json outcomes = document.value.value("outcomes", Json::object());
  for (const auto& [key, outcome] : outcomes.items()) {
    topology.outcomes[key] = outcome_from(outcome);
  }
  const Json probes = document.value.value("probes", Json::object());
  for (const auto& [id, run] : probes.items()) {
    topology.probes[id] = {.status = outcome_status(run.at("status").get<std::string>()),
                           .reason = run.value("reason", ""),
                           .seconds = run.at("seconds"),
                           .experiments = run.at("experiments"),
                           .executing_seconds = run.value("executing_seconds", 0.0),
                           .plugin_seconds = run.value("plugin_seconds", 0.0)};
  }
  return topology;
}

}  // namespace tomograph::host
