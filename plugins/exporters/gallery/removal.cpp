#include "removal.hpp"

#include <iterator>

namespace tomograph::gallery {

namespace {

/// A name as an expression that stands for nothing but itself.
std::string escaped(const std::string& name) {
  return std::regex_replace(name, std::regex(R"([.^$|()\[\]{}*+?\\])"), "\\$&");
}

}  // namespace

Removal::Removal(const std::vector<Name>& names) {
  forms_.push_back({"UUIDs", std::regex(R"(()\b(?:[A-Z]+-)?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b)")});
  forms_.push_back({"addresses", std::regex(R"(()[\w.+-]+@[\w.-]+)")});
  // Ids of probes, such as data-cache/l1.size, are no paths: a path begins with "/", "./", "../" or "~/".
  forms_.push_back({"paths", std::regex(R"((^|[\s"'=:,;(\[])(?:~|\.{1,2})?/[^\s"',;)\]]+)")});
  for (const Name& name : names) {
    // "root" is no one's name.
    if (name.text.empty() || name.text == "root") continue;
    names_.push_back({"the name of " + name.whose, std::regex(R"(()\b)" + escaped(name.text) + R"(\b)")});
  }
}

void Removal::clean(Json& topology) {
  for (const char* name : {"uuid", "pci_bus_id"}) {
    if (topology.contains("device")) erase(topology["device"], name, std::string("device.") + name);
  }
  if (topology.contains("provenance")) clean_provenance(topology["provenance"]);
  clean_texts(topology, forms_);
  if (topology.contains("provenance")) clean_texts(topology["provenance"], names_);
  for (const char* section : {"outcomes", "probes"}) {
    if (topology.contains(section)) clean_reasons(topology[section]);
  }
}

void Removal::erase(Json& table, const char* member, const std::string& what) { removed_[what] += table.erase(member); }

void Removal::clean_provenance(Json& provenance) {
  for (const char* list : {"plugins", "configuration"}) {
    if (!provenance.contains(list)) continue;
    for (Json& entry : provenance[list]) erase(entry, "path", std::string("provenance.") + list + "[].path");
  }
  if (provenance.contains("machine")) erase(provenance["machine"], "name", "provenance.machine.name");
  if (provenance.contains("conditions")) {
    erase(provenance["conditions"], "pci_bus_id", "provenance.conditions.pci_bus_id");
  }
  if (!provenance.contains("device")) return;
  Json& device = provenance["device"];
  if (!device.value("parameters", Json()).empty()) erase(device, "parameters", "provenance.device.parameters");
  // The target of "replay:tests/recordings/h200.rec" is a file.
  const auto name = device.value("name", "");
  if (name.find_first_of("/.") == std::string::npos) return;
  device["name"] = name.substr(0, name.find(':'));
  ++removed_["the file in provenance.device.name"];
}

void Removal::clean_reasons(Json& table) {
  for (Json& entry : table) {
    if (entry.contains("reason")) clean_texts(entry["reason"], names_);
  }
}

void Removal::clean_texts(Json& value, const std::vector<Pattern>& patterns) {
  if (value.is_structured()) {
    for (Json& member : value) clean_texts(member, patterns);
  }
  if (!value.is_string()) return;
  auto& text = value.get_ref<std::string&>();
  for (const auto& [what, expression] : patterns) {
    const std::sregex_iterator first(text.begin(), text.end(), expression);
    const auto count = std::distance(first, std::sregex_iterator());
    if (count == 0) continue;
    text = std::regex_replace(text, expression, "$1(removed)");
    removed_[what] += static_cast<std::size_t>(count);
  }
}

}  // namespace tomograph::gallery
