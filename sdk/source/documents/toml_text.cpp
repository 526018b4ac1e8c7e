#include "tomograph/documents/toml_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

namespace tomograph {
namespace {

using Json = nlohmann::json;

/// Characters per line; longer arrays are broken.
constexpr std::size_t line_width = 120;

std::optional<std::string> number_obstacle(const Json& value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) return "a number is not finite";
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > largest) {
    return "an integer does not fit into 64 bits with sign";
  }
  return std::nullopt;
}

std::string quoted_text(std::string_view text) {
  const auto is_plain = [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; };
  if (std::ranges::all_of(text, is_plain)) return '"' + std::string(text) + '"';
  std::string result = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t at = 0; (at = result.find('\x7f', at)) != std::string::npos;) result.replace(at, 1, "\\u007F");
  return result;
}

void add_on_one_line(std::string& text, const Json& value);

void add_list(std::string& text, const Json& list) {
  text += '[';
  const std::size_t begin = text.size();
  for (const Json& element : list) {
    if (text.size() > begin) text += ", ";
    add_on_one_line(text, element);
  }
  text += ']';
}

void add_table(std::string& text, const Json& table) {
  text += '{';
  const std::size_t begin = text.size();
  for (const auto& [key, member] : table.items()) {
    text += text.size() > begin ? ", " : " ";
    text += toml_name(key);
    text += " = ";
    add_on_one_line(text, member);
  }
  text += table.empty() ? "}" : " }";
}

void add_on_one_line(std::string& text, const Json& value) {
  switch (value.type()) {
    case Json::value_t::array: return add_list(text, value);
    case Json::value_t::object: return add_table(text, value);
    case Json::value_t::string: text += quoted_text(value.get_ref<const std::string&>()); return;
    // What dump() prepares takes longer than the digits of an integer.
    case Json::value_t::number_integer: text += std::to_string(value.get<std::int64_t>()); return;
    case Json::value_t::number_unsigned: text += std::to_string(value.get<std::uint64_t>()); return;
    default: text += value.dump();
  }
}

std::string list_on_lines(const Json& list) {
  std::string text = "[";
  std::string line;
  std::string next;
  for (const Json& element : list) {
    next.clear();
    add_on_one_line(next, element);
    next += ',';
    if (!line.empty() && line.size() + next.size() + 3 > line_width) text += "\n  " + std::exchange(line, {});
    if (!line.empty()) line += ' ';
    line += next;
  }
  return text + "\n  " + line + "\n]";
}

}  // namespace

std::string toml_name(std::string_view key) {
  const bool bare = !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? std::string(key) : quoted_text(key);
}

std::optional<std::string> value_obstacle(const Json& value) {
  if (value.is_null()) return "null is no value, nor are NaN and infinity";
  if (value.is_number()) return number_obstacle(value);
  if (!value.is_structured()) return std::nullopt;
  for (const Json& element : value) {
    if (auto obstacle = value_obstacle(element)) return obstacle;
  }
  return std::nullopt;
}

std::string toml_value(const Json& value) {
  if (const auto obstacle = value_obstacle(value)) throw std::invalid_argument(*obstacle);
  std::string text;
  add_on_one_line(text, value);
  return value.is_array() && text.size() > line_width ? list_on_lines(value) : text;
}

std::string toml_table(const std::string& name, const Json& table) {
  std::string text = "[" + name + "]\n";
  std::string within;
  for (const auto& [key, member] : table.items()) {
    if (member.is_object()) {
      within += "\n" + toml_table(name + "." + toml_name(key), member);
    } else {
      text += toml_name(key) + " = " + toml_value(member) + "\n";
    }
  }
  return text + within;
}

}  // namespace tomograph
