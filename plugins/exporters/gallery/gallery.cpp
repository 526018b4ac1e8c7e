#include "gallery.hpp"

#include <nlohmann/json.hpp>

#include "removal.hpp"
#include "tomograph/documents/toml_text.hpp"

namespace tomograph::gallery {

std::string publishable(const Topology& topology, const std::string& machine, const std::string& user) {
  Json content = Json::parse(topology.topology_json());
  Removal removal({machine, machine.substr(0, machine.find('.')), user});
  removal.clean(content);
  std::string text = "# Removed by `tomograph export gallery`:\n";
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
