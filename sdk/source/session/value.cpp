#include "tomograph/value.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tomograph {

namespace {

using Json = nlohmann::json;

/// Deeper than any fact. Nested values are converted, copied and destroyed by recursion.
constexpr int most_levels = 100;

Json json_of(const Value& value);

struct ToJson {
  Json operator()(std::monostate /*nothing*/) const { return nullptr; }
  Json operator()(bool boolean) const { return boolean; }
  Json operator()(std::int64_t number) const { return number; }
  Json operator()(double number) const { return number; }
  Json operator()(const std::string& text) const { return text; }
  Json operator()(const Value::List& elements) const {
    Json json = Json::array();
    for (const Value& element : elements) json.push_back(json_of(element));
    return json;
  }
  Json operator()(const Value::Table& entries) const {
    Json json = Json::object();
    for (const auto& [key, entry] : entries) json[key] = json_of(entry);
    return json;
  }
};

Json json_of(const Value& value) { return std::visit(ToJson(), value.content()); }

Value value_of(const Json& json) {
  switch (json.type()) {
    case Json::value_t::boolean: return json.get<bool>();
    case Json::value_t::number_integer: return json.get<std::int64_t>();
    case Json::value_t::number_unsigned: return json.get<std::uint64_t>();
    case Json::value_t::number_float: return json.get<double>();
    case Json::value_t::string: return json.get<std::string>();
    case Json::value_t::array: {
      Value::List elements;
      for (const Json& element : json) elements.push_back(value_of(element));
      return elements;
    }
    case Json::value_t::object: {
      Value::Table entries;
      for (const auto& [key, entry] : json.items()) entries.emplace(key, value_of(entry));
      return entries;
    }
    default: return {};
  }
}

}  // namespace

void Value::refuse(const char* why) { throw std::invalid_argument(std::string("a value ") + why); }

const Value::List& Value::elements() const {
  if (const auto* list = std::get_if<List>(&content_)) return *list;
  refuse("is no list");
}

const Value::Table& Value::entries() const {
  if (const auto* table = std::get_if<Table>(&content_)) return *table;
  refuse("is no table");
}

const Value& Value::at(std::string_view key) const {
  const auto found = entries().find(key);
  if (found == entries().end()) throw std::out_of_range("a table has no entry " + std::string(key));
  return found->second;
}

Value& Value::operator[](std::string_view key) {
  if (is_null()) content_ = Table();
  auto* table = std::get_if<Table>(&content_);
  if (table == nullptr) refuse("is no table");
  return (*table)[std::string(key)];
}

void Value::push_back(Value element) {
  if (is_null()) content_ = List();
  auto* list = std::get_if<List>(&content_);
  if (list == nullptr) refuse("is no list");
  list->push_back(std::move(element));
}

Value& Value::back() {
  auto* list = std::get_if<List>(&content_);
  if (list == nullptr || list->empty()) refuse("is no list, or an empty one");
  return list->back();
}

void Value::read(bool& result) const {
  const auto* boolean = std::get_if<bool>(&content_);
  if (boolean == nullptr) refuse("is no boolean");
  result = *boolean;
}

void Value::read(double& result) const {
  if (const auto* real = std::get_if<double>(&content_)) {
    result = *real;
  } else if (const auto* number = std::get_if<std::int64_t>(&content_)) {
    result = static_cast<double>(*number);
  } else {
    refuse("is no number");
  }
}

void Value::read(std::string& result) const {
  const auto* text = std::get_if<std::string>(&content_);
  if (text == nullptr) refuse("is no text");
  result = *text;
}

std::int64_t Value::integer() const {
  if (const auto* number = std::get_if<std::int64_t>(&content_)) return *number;
  constexpr double beyond = 0x1p63;  // the first number that no integer holds
  const auto* real = std::get_if<double>(&content_);
  if (real == nullptr || std::trunc(*real) != *real || std::abs(*real) >= beyond) refuse("is no integer");
  return static_cast<std::int64_t>(*real);
}

std::string to_json(const Value& value) {
  try {
    return json_of(value).dump();
  } catch (const Json::type_error&) {
    throw std::invalid_argument("a text in the value is not UTF-8");
  }
}

Value from_json(std::string_view text) {
  const auto limit_depth = [](int depth, Json::parse_event_t, const Json&) {
    if (depth > most_levels) throw std::invalid_argument("JSON nests too deeply");
    return true;
  };
  try {
    return value_of(Json::parse(text, limit_depth));
  } catch (const Json::exception& error) {
    throw std::invalid_argument(error.what());
  }
}

}  // namespace tomograph
