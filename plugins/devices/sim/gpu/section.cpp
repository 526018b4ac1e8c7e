#include "sim/gpu/section.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <cmath>

#include "sim/gpu/reader.hpp"
#include "tomograph/documents/nearest_name.hpp"

namespace tomograph::sim {

namespace {

const char* type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table: return "a table";
    case toml::node_type::array: return "an array";
    case toml::node_type::string: return "a string";
    case toml::node_type::integer: return "an integer";
    case toml::node_type::floating_point: return "a number with a fraction";
    case toml::node_type::boolean: return "a boolean";
    default: return "a date or time";
  }
}

}  // namespace

void refuse(std::string_view file, const toml::node& where, const std::string& key, const std::string& problem) {
  const toml::source_position begin = where.source().begin;
  throw DescriptionError(std::string(file) + ":" + std::to_string(begin.line) + ":" + std::to_string(begin.column) +
                         ": " + (key.empty() ? problem : key + ": " + problem));
}

void Section::refuse(const char* key, const std::string& problem) const {
  const toml::node* node = table_->get(key);
  sim::refuse(file_, node == nullptr ? *table_ : *node, path_of(key), problem);
}

void Section::refuse_word(const char* key, const std::string& text, const std::vector<std::string>& known) const {
  std::string list;
  for (const std::string& name : known) list += (list.empty() ? "\"" : ", \"") + name + "\"";
  refuse(key, "is \"" + text + "\", must be one of " + list + suggestion(text, known));
}

bool Section::is_text(const char* key) const { return has(key) && find(key)->is_string(); }

bool Section::is_array(const char* key) const { return has(key) && find(key)->is_array(); }

std::vector<std::string> Section::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, node] : *table_) keys.emplace_back(key.str());
  return keys;
}

const toml::node* Section::find(const char* key) const { return table_->get(key); }

const toml::node& Section::required(const char* key) const {
  const toml::node* node = find(key);
  if (node == nullptr) refuse(key, "is missing");
  return *node;
}

std::int64_t Section::integer(const char* key) const {
  const toml::node& node = required(key);
  if (!node.is_integer()) refuse(key, std::string("is ") + type_name(node) + ", must be an integer");
  return node.as_integer()->get();
}

std::int64_t Section::integer(const char* key, std::int64_t fallback) const {
  return has(key) ? integer(key) : fallback;
}

std::int64_t Section::positive(const char* key) const {
  const std::int64_t value = integer(key);
  if (value < 1) refuse(key, "is " + std::to_string(value) + ", must be at least 1");
  return value;
}

double Section::number(const char* key) const {
  const toml::node& node = required(key);
  if (const auto value = node.value<double>(); value && node.is_number()) {
    if (!std::isfinite(*value)) refuse(key, "is not finite");
    return *value;
  }
  refuse(key, std::string("is ") + type_name(node) + ", must be a number");
}

double Section::number(const char* key, double fallback) const { return has(key) ? number(key) : fallback; }

bool Section::boolean(const char* key, bool fallback) const {
  const toml::node* node = find(key);
  if (node == nullptr) return fallback;
  if (node->is_boolean()) return node->as_boolean()->get();
  refuse(key, std::string("is ") + type_name(*node) + ", must be true or false");
}

std::string Section::text(const char* key) const {
  const toml::node& node = required(key);
  if (!node.is_string()) refuse(key, std::string("is ") + type_name(node) + ", must be a string");
  return node.as_string()->get();
}

const toml::array& Section::array(const char* key, const char* of) const {
  const toml::node& node = required(key);
  if (!node.is_array()) refuse(key, std::string("is ") + type_name(node) + ", must be an array of " + of);
  return *node.as_array();
}

std::vector<std::int64_t> Section::integers(const toml::array& array, const char* key) const {
  std::vector<std::int64_t> values;
  for (const toml::node& node : array) {
    if (!node.is_integer())
      sim::refuse(file_, node, path_of(key), std::string("holds ") + type_name(node) + ", must hold integers");
    values.push_back(node.as_integer()->get());
  }
  return values;
}

std::vector<std::int64_t> Section::integers(const char* key) const { return integers(array(key, "integers"), key); }

std::vector<std::vector<std::int64_t>> Section::integer_lists(const char* key) const {
  std::vector<std::vector<std::int64_t>> lists;
  for (const toml::node& node : array(key, "arrays of integers")) {
    if (!node.is_array())
      sim::refuse(file_, node, path_of(key),
                  std::string("holds ") + type_name(node) + ", must hold arrays of integers");
    lists.push_back(integers(*node.as_array(), key));
  }
  return lists;
}

std::vector<double> Section::numbers(const char* key) const {
  std::vector<double> values;
  for (const toml::node& node : array(key, "numbers")) {
    const auto value = node.value<double>();
    if (!value || !node.is_number())
      sim::refuse(file_, node, path_of(key), std::string("holds ") + type_name(node) + ", must hold numbers");
    if (!std::isfinite(*value)) sim::refuse(file_, node, path_of(key), "holds a number that is not finite");
    values.push_back(*value);
  }
  return values;
}

std::vector<std::string> Section::texts(const char* key) const {
  std::vector<std::string> values;
  for (const toml::node& node : array(key, "strings")) {
    if (!node.is_string())
      sim::refuse(file_, node, path_of(key), std::string("holds ") + type_name(node) + ", must hold strings");
    values.push_back(node.as_string()->get());
  }
  return values;
}

Section Section::section(const char* key) const {
  const toml::node& node = required(key);
  if (!node.is_table()) refuse(key, std::string("is ") + type_name(node) + ", must be a table");
  return {*node.as_table(), path_of(key), file_};
}

std::optional<Section> Section::optional_section(const char* key) const {
  return has(key) ? std::optional(section(key)) : std::nullopt;
}

std::vector<std::pair<std::string, Section>> Section::named_sections(const char* key) const {
  std::vector<std::pair<std::string, Section>> named;
  if (!has(key)) return named;
  const Section all = section(key);
  for (const std::string& name : all.keys()) named.emplace_back(name, all.section(name.c_str()));
  return named;
}

std::vector<Section> Section::sections(const char* key) const {
  std::vector<Section> sections;
  if (!has(key)) return sections;
  for (const toml::node& node : array(key, "tables")) {
    const std::string path = path_of(key) + "." + std::to_string(sections.size());
    if (!node.is_table()) sim::refuse(file_, node, path, std::string("is ") + type_name(node) + ", must be a table");
    sections.emplace_back(*node.as_table(), path, file_);
  }
  return sections;
}

void Section::expect_only(const std::vector<std::string>& known) const {
  for (const auto& [key, node] : *table_) {
    const std::string name(key.str());
    if (std::ranges::find(known, name) != known.end()) continue;
    sim::refuse(file_, node, path_of(name.c_str()), "is not a key of a simulated GPU" + suggestion(name, known));
  }
}

}  // namespace tomograph::sim
