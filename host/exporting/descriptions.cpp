#include "exporting/descriptions.hpp"

#include <algorithm>
#include <string>

namespace tomograph::host {
namespace {

/// The table of the fact with this key, or null.
Json* fact_table(Json& topology, std::string key) {
  std::ranges::replace(key, '.', '/');
  const Json::json_pointer place("/" + key);
  if (!topology.contains(place)) return nullptr;
  Json& table = topology.at(place);
  return table.is_object() && table.contains("value") ? &table : nullptr;
}

}  // namespace

Json described(Json topology, const Catalogue& catalogue) {
  for (const PluginDescription& plugin : catalogue.plugins) {
    for (const ProbeDescription& probe : plugin.probes) {
      for (const FactDeclaration& declaration : probe.provides) {
        Json* fact = fact_table(topology, declaration.key);
        if (fact != nullptr && !declaration.help.empty()) (*fact)["description"] = declaration.help;
      }
    }
  }
  return topology;
}

}  // namespace tomograph::host
