#include "tomograph/documents/toml_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

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
  std::string result = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t at = 0; (at = result.find('\x7f', at)) != std::string::npos;) result.replace(at, 1, "\\u007F");
  return result;
}

std::string on_one_line(const Json& value);

std::string list_on_one_line(const Json& list) {
  std::string text;
  for (const Json& element : list) text += (text.empty() ? "" : ", ") + on_one_line(element);
  return "[" + text + "]";
}

std::string table_on_one_line(const Json& table) {
  if (table.empty()) return "{}";
  std::string text;
  for (const auto& [key, member] : table.items()) {
    text += (text.empty() ? "" : ", ") + toml_name(key) + " = " + on_one_line(member);
  }
  return "{ " + text + " }";
}

std::string on_one_line(const Json& value) {
  if (value.is_array()) return list_on_one_line(value);
  if (value.is_object()) return table_on_one_line(value);
  if (value.is_string()) return quoted_text(value.get_ref<const std::string&>());
  return value.dump();
}

std::string list_on_lines(const Json& list) {
  std::string text = "[";
  std::string line;
  for (const Json& element : list) {
    std::string next = on_one_line(element) + ",";
    if (!line.empty() && line.size() + next.size() + 3 > line_width) text += "\n  " + std::exchange(line, {});
    line += (line.empty() ? "" : " ") + next;
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
  if (value.is_null()) return "null is no value";
  if (value.is_number()) return number_obstacle(value);
  if (!value.is_structured()) return std::nullopt;
  for (const Json& element : value) {
    if (auto obstacle = value_obstacle(element)) return obstacle;
  }
  return std::nullopt;
}

std::string toml_value(const Json& value) {
  if (const auto obstacle = value_obstacle(value)) throw std::invalid_argument(*obstacle);
  std::string text = on_one_line(value);
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
