#include "topology/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tomograph/documents/toml_text.hpp"
#include "topology/record_fields.hpp"

namespace tomograph::host {
namespace {

bool is_key_part(std::string_view part) {
  return !part.empty() &&
         std::ranges::all_of(part, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

/// Whether the API's value lies within the interval of the measured one, or equals it where there is no interval.
bool agree(const FactRecord& measured, const FactRecord& nominal) {
  if (!measured.value.is_number() || !nominal.value.is_number() || !measured.interval) {
    return measured.value == nominal.value;
  }
  const auto answer = nominal.value.get<double>();
  return measured.interval->first <= answer && answer <= measured.interval->second;
}

}  // namespace

std::optional<std::string> key_obstacle(std::string_view key) {
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    const std::string_view part = key.substr(begin, end - begin);
    if (!is_key_part(part)) return "expected parts of a-z, 0-9 and _ with points between them";
    const bool is_root_name = begin == 0 && std::ranges::find(root_names, part) != root_names.end();
    if (is_root_name || std::ranges::find(record_fields, part) != record_fields.end()) {
      return fmt::format("\"{}\" is a name that the topology file uses itself", part);
    }
    begin = end + 1;
  }
  return std::nullopt;
}

void add_fact(Topology& topology, const std::string& key, FactRecord record) {
  if (const auto present = topology.facts.find(key); present != topology.facts.end()) {
    const std::string& first = present->second.probe;
    throw std::invalid_argument(first == record.probe
                                    ? fmt::format("fact {} was published twice by {}", key, first)
                                    : fmt::format("fact {} was published by {} and by {}", key, first, record.probe));
  }
  if (const auto obstacle = key_obstacle(key)) throw std::invalid_argument(fmt::format("fact {}: {}", key, *obstacle));
  for (const Json* part : {&record.value, &record.conditions}) {
    if (const auto obstacle = value_obstacle(*part)) {
      throw std::invalid_argument(fmt::format("fact {} of {}: {}", key, record.probe, *obstacle));
    }
  }
  topology.outcomes[key] = Outcome{.status = OutcomeStatus::measured, .probe = record.probe};
  topology.facts.emplace(key, std::move(record));
}

void add_given(Topology& topology, const Topology& given) {
  for (const auto& [key, record] : given.facts) {
    if (!topology.facts.emplace(key, record).second) continue;
    const auto outcome = given.outcomes.find(key);
    if (outcome != given.outcomes.end()) topology.outcomes[key] = outcome->second;
  }
}

std::vector<Finding> disagreements(const Topology& topology) {
  constexpr std::string_view prefix = "nominal_";
  std::vector<Finding> findings;
  for (const auto& [key, nominal] : topology.facts) {
    const std::size_t name = key.rfind('.') + 1;  // 0 where there is no point
    if (nominal.source != "api" || key.compare(name, prefix.size(), prefix) != 0) continue;
    const std::string measured_key = key.substr(0, name) + key.substr(name + prefix.size());
    const auto measured = topology.facts.find(measured_key);
    if (measured == topology.facts.end() || measured->second.source == "api" || agree(measured->second, nominal)) {
      continue;
    }
    findings.push_back({measured_key, key});
  }
  return findings;
}

}  // namespace tomograph::host
