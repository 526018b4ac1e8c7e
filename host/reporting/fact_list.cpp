#include "reporting/fact_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "reporting/parts.hpp"
#include "reporting/quantity.hpp"
#include "reporting/rows.hpp"
#include "reporting/table.hpp"

namespace tomograph::host {
namespace {

/// Columns of a value that is one line of text; the rest is on further lines.
constexpr std::size_t value_width = 80;

/// The keys of all facts and open questions by their part.
std::map<std::string, std::set<std::string>> keys_by_part(const Topology& topology) {
  std::map<std::string, std::set<std::string>> keys;
  for (const auto& [key, record] : topology.facts) keys[part_of(topology, key)].insert(key);
  for (const auto& [key, outcome] : topology.outcomes) {
    if (is_open(topology, key)) keys[part_of(topology, key)].insert(key);
  }
  return keys;
}

/// The parts that have keys: the known ones in their order, then the others by name.
std::vector<std::string> in_order(const std::map<std::string, std::set<std::string>>& keys) {
  std::vector<std::string> parts;
  for (const Part& part : known_parts()) {
    if (keys.contains(std::string(part.prefix))) parts.emplace_back(part.prefix);
  }
  for (const auto& [part, unused] : keys) {
    if (std::ranges::find(parts, part) == parts.end()) parts.push_back(part);
  }
  return parts;
}

std::string interval(const FactRecord& record) {
  if (!record.interval) return {};
  const auto& [low, high] = *record.interval;
  return fmt::format("{} to {}", quantity(low, record.unit), quantity(high, record.unit));
}

/// The lines of a value.
std::vector<std::string> value(const std::string& key, const FactRecord& record) {
  if (is_grouped(key, record.value)) return {group_sizes(record.value)};
  std::vector<std::string> lines = full_quantity(record.value, record.unit);
  return lines.size() == 1 && !lines.front().empty() ? wrapped(lines.front(), value_width) : lines;
}

void add_fact_or_question(Table& table, const Topology& topology, const std::string& key) {
  const auto fact = topology.facts.find(key);
  if (fact == topology.facts.end()) {
    const Outcome& outcome = topology.outcomes.at(key);
    table.add({key, std::string(to_string(outcome.status)), "", "", outcome.reason});
    return;
  }
  const FactRecord& record = fact->second;
  const std::vector<std::string> lines = value(key, record);
  table.add({key, lines.front(), interval(record), percent_of(record.confidence),
             record.source == "api" ? "API" : record.method});
  for (std::size_t i = 1; i < lines.size(); ++i) table.add({"", lines[i], "", "", ""});
}

}  // namespace

std::string fact_list(const Topology& topology, bool color) {
  const Style style(color);
  const auto keys = keys_by_part(topology);
  std::string text;
  for (const std::string& part : in_order(keys)) {
    Table table({title_of(part), "value", "interval", "confidence", "method"});
    for (const std::string& key : keys.at(part)) add_fact_or_question(table, topology, key);
    text += (text.empty() ? "" : "\n") + table.text(style);
  }
  return text;
}

}  // namespace tomograph::host
