#include "accel_sim.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include "options.hpp"

namespace tomograph::accel_sim {

namespace {

/// The tuner makes a folder of this name.
std::string folder_name(std::string name) {
  const auto is_safe = [](char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || character == ' ' || character == '-' || character == '_';
  };
  std::ranges::replace_if(
      name, [&](char character) { return !is_safe(character); }, '_');
  return name;
}

/// The value in one line; tables and lists are too long for a comment.
std::string shown(const KnownFact& fact) {
  const bool is_list = std::holds_alternative<Value::List>(fact.value.content());
  if (is_list || std::holds_alternative<Value::Table>(fact.value.content())) return is_list ? "[...]" : "{...}";
  return to_json(fact.value) + (fact.unit.empty() || fact.unit == "1" ? "" : " " + fact.unit);
}

}  // namespace

std::string statistics(const Topology& topology) {
  const Options options = options_of(topology);
  std::string text = "# Written by tomograph for Accel-Sim's util/tuner/tuner.py -s FILE\n";
  text += "Device Name = " + folder_name(topology.needed<std::string>("device.name")) + "\n";
  for (const auto& [name, value] : options.complete) text.append(name).append(" ").append(value).append("\n");
  text += "\n# Known in part: each ? was not measured.\n";
  for (const auto& [name, value] : options.partial)
    text.append("# ").append(name).append(" ").append(value).append("\n");
  text += "\n# Facts that no option above holds.\n";
  for (const auto& [key, fact] : topology.facts()) {
    if (!options.sources.contains(key) && key != "device.name") text += "# " + key + " = " + shown(fact) + "\n";
  }
  return text;
}

}  // namespace tomograph::accel_sim
