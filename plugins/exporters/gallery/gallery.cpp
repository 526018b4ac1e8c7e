#include "gallery.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "removal.hpp"
#include "tomograph/documents/toml_text.hpp"

namespace tomograph::gallery {

namespace {

/// Descriptions are the host's, which adds those of the plugins that it has.
void drop_descriptions(Json& table) {
  if (!table.is_object()) return;
  if (table.contains("source")) table.erase("description");
  for (Json& member : table) drop_descriptions(member);
}

std::string without_domain(const std::string& machine) { return machine.substr(0, machine.find('.')); }

/// All names to remove. Topologies are often exported on another machine than the one that measured them, which only
/// the topology names.
std::vector<Name> names_in(const Json& content, const std::string& machine, const std::string& user) {
  const auto measuring = content.value("/provenance/machine/name"_json_pointer, std::string());
  return {{"the measuring machine", measuring},
          {"the measuring machine", without_domain(measuring)},
          {"the exporting machine", machine},
          {"the exporting machine", without_domain(machine)},
          {"the exporting user", user}};
}

}  // namespace

std::string publishable(const Topology& topology, const std::string& machine, const std::string& user) {
  Json content = Json::parse(topology.topology_json());
  Removal removal(names_in(content, machine, user));
  removal.clean(content);
  drop_descriptions(content);
  std::string text = "#:schema ../schemas/topology.schema.json\n# Removed by `tomograph export gallery`:\n";
  for (const auto& [what, count] : removal.removed()) {
    if (count != 0) text += "# - " + what + " (" + std::to_string(count) + ")\n";
  }
  text += "\n";
  for (const auto& [key, member] : content.items()) {
    if (!member.is_object()) text += toml_name(key) + " = " + toml_value(member) + "\n";
  }
  for (const auto& [key, member] : content.items()) {
    if (member.is_object()) text += "\n" + toml_table(toml_name(key), member);
  }
  return text;
}

}  // namespace tomograph::gallery
