#include "object.hpp"

#include <algorithm>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <iomanip>
#include <map>
#include <sstream>

namespace tomograph::hwloc {

namespace {

using Tree = boost::property_tree::ptree;

/// A set of numbers as hwloc writes it: words of 32 bits, the highest first.
std::string bitmap(const Sms& numbers) {
  constexpr std::int64_t bits = 32;
  std::vector<std::uint32_t> words(1);
  for (const std::int64_t number : numbers) {
    const auto word = static_cast<std::size_t>(number / bits);
    if (word >= words.size()) words.resize(word + 1);
    words[word] |= std::uint32_t{1} << (number % bits);
  }
  std::ostringstream text;
  text << std::hex << std::setfill('0');
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    text << (word == words.rbegin() ? "0x" : ",0x") << std::setw(8) << *word;
  }
  return text.str();
}

/// XML has no control characters.
std::string printable(std::string text) {
  std::ranges::replace_if(
      text, [](char character) { return static_cast<unsigned char>(character) < ' '; }, '?');
  return text;
}

void set(Tree& element, const std::string& attribute, const std::string& value) {
  element.put("<xmlattr>." + attribute, printable(value));
}

std::string attribute(const Object& object, const char* name) {
  return std::ranges::find(object.attributes, name, [](const auto& entry) { return entry.first; })->second;
}

std::int64_t node_index(const Object& node) { return std::stoll(attribute(node, "os_index")); }

void collect_nodes(const Object& object, Sms& nodes) {
  if (object.type == "NUMANode") nodes.push_back(node_index(object));
  for (const Object& child : object.children) collect_nodes(child, nodes);
}

class Writer {
 public:
  explicit Writer(const Object& machine) {
    Sms nodes;
    collect_nodes(machine, nodes);
    if (!nodes.empty()) next_id_ = std::ranges::max(nodes) + 2;
  }

  /// `around` are the NUMA nodes of the objects around this one.
  Tree element(const Object& object, Sms around) {
    for (const Object& child : object.children) {
      if (child.type == "NUMANode") around.push_back(node_index(child));
    }
    const bool is_node = object.type == "NUMANode";
    Sms nodes = is_node ? Sms{node_index(object)} : around;
    if (!is_node) collect_inner(object, nodes);
    Tree tree;
    set(tree, "type", object.type);
    for (const auto& [name, value] : object.attributes) set(tree, name, value);
    if (object.type == "OSDev") {
      ids_of_devices_[attribute(object, "name")] = next_id_;
    } else {
      set_sets(tree, object, nodes);
    }
    set(tree, "gp_index", std::to_string(is_node ? id_of_node(node_index(object)) : next_id_++));
    for (const auto& [name, value] : object.infos) {
      Tree info;
      set(info, "name", name);
      set(info, "value", value);
      tree.add_child("info", info);
    }
    for (const Object& child : object.children) tree.add_child("object", element(child, around));
    return tree;
  }

  static std::int64_t id_of_node(std::int64_t index) { return index + 1; }
  /// Of an element that was written.
  [[nodiscard]] std::int64_t id_of_device(const std::string& name) const { return ids_of_devices_.at(name); }

 private:
  static void collect_inner(const Object& object, Sms& nodes) {
    for (const Object& child : object.children) {
      if (child.type != "NUMANode") collect_nodes(child, nodes);
    }
  }

  static void set_sets(Tree& tree, const Object& object, const Sms& nodes) {
    for (const char* name : {"cpuset", "complete_cpuset"}) set(tree, name, bitmap(object.sms));
    for (const char* name : {"nodeset", "complete_nodeset"}) set(tree, name, bitmap(nodes));
    if (object.type != "Machine") return;
    set(tree, "allowed_cpuset", bitmap(object.sms));
    set(tree, "allowed_nodeset", bitmap(nodes));
  }

  std::int64_t next_id_ = 1;
  std::map<std::string, std::int64_t> ids_of_devices_;
};

/// One element for each attribute, with all its values.
void add_memory(Tree& topology, const std::vector<MemoryValue>& memory) {
  std::map<std::string, Tree> attributes;
  for (const MemoryValue& value : memory) {
    Tree& attribute = attributes[value.attribute];
    set(attribute, "name", value.attribute);
    set(attribute, "flags", std::to_string(value.flags));
    Tree entry;
    set(entry, "target_obj_type", "NUMANode");
    set(entry, "target_obj_gp_index", std::to_string(Writer::id_of_node(value.node)));
    set(entry, "value", std::to_string(value.value));
    set(entry, "initiator_cpuset", bitmap(value.initiator));
    attribute.add_child("memattr_value", entry);
  }
  for (const auto& [name, attribute] : attributes) topology.add_child("memattr", attribute);
}

/// Numbers as hwloc reads them: its parser wants their length in characters.
Tree numbers(const std::vector<std::int64_t>& values) {
  std::string text;
  for (const std::int64_t value : values) text += std::to_string(value) + " ";
  Tree tree(text);
  set(tree, "length", std::to_string(text.size()));
  return tree;
}

void add_distances(Tree& topology, const std::vector<Distances>& all, const Writer& writer) {
  constexpr const char* kind = "10";  // HWLOC_DISTANCES_KIND_FROM_USER and _MEANS_BANDWIDTH
  for (const Distances& distances : all) {
    std::vector<std::int64_t> ids;
    for (const std::string& device : distances.devices) ids.push_back(writer.id_of_device(device));
    Tree matrix;
    set(matrix, "type", "OSDev");
    set(matrix, "nbobjs", std::to_string(ids.size()));
    set(matrix, "kind", kind);
    set(matrix, "name", distances.name);
    set(matrix, "indexing", "gp");
    matrix.add_child("indexes", numbers(ids));
    matrix.add_child("u64values", numbers(distances.values));
    topology.add_child("distances2", matrix);
  }
}

}  // namespace

std::string to_xml(const Object& machine, const std::vector<MemoryValue>& memory,
                   const std::vector<Distances>& distances) {
  Tree document;
  Tree& topology = document.put("topology", "");
  set(topology, "version", "2.0");
  Writer writer(machine);
  topology.add_child("object", writer.element(machine, {}));
  add_distances(topology, distances, writer);
  add_memory(topology, memory);
  std::ostringstream xml;
  write_xml(xml, document, boost::property_tree::xml_writer_settings<std::string>(' ', 1));
  // hwloc warns of a document without a type where it reads with libxml2. Boost cannot write one.
  std::string text = xml.str();
  return text.insert(text.find('\n') + 1, "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n");
}

}  // namespace tomograph::hwloc
