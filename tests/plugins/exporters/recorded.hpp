#ifndef TOMOGRAPH_TESTS_RECORDED_HPP
#define TOMOGRAPH_TESTS_RECORDED_HPP

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "tomograph/documents/toml_document.hpp"
#include "tomograph/exporter.hpp"

/// A topology as JSON with facts added, changed or taken away.
class EditedTopology {
 public:
  EditedTopology() : json_(nlohmann::json::object()) {}
  /// The topology of tests/recordings/NAME.toml.
  explicit EditedTopology(const std::string& name) : json_(recorded(name)) {}

  EditedTopology& set(const std::string& key, nlohmann::json value, const std::string& unit = "") {
    json_[pointer(key)].update({{"value", std::move(value)}, {"unit", unit}, {"source", "api"}, {"confidence", 1}});
    return *this;
  }
  EditedTopology& remove(const std::string& key) {
    json_.at(pointer(key)).erase("value");
    return *this;
  }

  /// Takes away all tables but these.
  EditedTopology& keep(const std::set<std::string>& tables) {
    std::erase_if(json_.get_ref<nlohmann::json::object_t&>(),
                  [&](const auto& table) { return !tables.contains(table.first); });
    return *this;
  }

  /// The member at a JSON pointer, created if there is none.
  nlohmann::json& member(const std::string& path) { return json_[nlohmann::json::json_pointer(path)]; }

  [[nodiscard]] tomograph::Topology topology() const { return tomograph::Topology("test.toml", json_.dump()); }

 private:
  /// Read once, since that takes seconds under sanitizers.
  static const nlohmann::json& recorded(const std::string& name) {
    static std::map<std::string, nlohmann::json> known;
    const auto [entry, is_new] = known.try_emplace(name);
    if (is_new) {
      entry->second = tomograph::read_toml(TOMOGRAPH_SOURCE_DIR "/tests/recordings/" + name + ".toml").value;
    }
    return entry->second;
  }

  static nlohmann::json::json_pointer pointer(const std::string& key) {
    std::string path = "/" + key;
    for (char& character : path) {
      if (character == '.') character = '/';
    }
    return nlohmann::json::json_pointer(path);
  }

  nlohmann::json json_;
};

#endif
