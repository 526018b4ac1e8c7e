#include "reporting/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace tomograph::host {
namespace {

using Json = nlohmann::json;

std::string scaled(double value, double step, const std::array<const char*, 5>& units) {
  std::size_t scale = 0;
  while (std::abs(value) >= step && scale + 1 < units.size()) {
    value /= step;
    ++scale;
  }
  // Four digits would cut 1023 KiB and the like short of the unit's step: "1023.5 KiB" keeps its fraction.
  return std::abs(value) >= 1000 ? fmt::format("{:.5g} {}", value, units[scale])
                                 : fmt::format("{:.4g} {}", value, units[scale]);
}

std::string number_with_unit(double value, std::string_view unit) {
  if (unit == "B") return scaled(value, 1024, {"B", "KiB", "MiB", "GiB", "TiB"});
  if (unit == "B/s") return scaled(value, 1000, {"B/s", "KB/s", "MB/s", "GB/s", "TB/s"});
  if (unit == "Hz") return scaled(value, 1000, {"Hz", "kHz", "MHz", "GHz", "THz"});
  std::string digits = fmt::format("{:.4g}", value);
  if (std::floor(value) == value && std::abs(value) < 1e9) digits = fmt::format("{:.0f}", value);
  if (unit.empty() || unit == "1") return digits;
  if (unit == "cycle") return digits + (digits == "1" ? " cycle" : " cycles");
  return fmt::format("{} {}", digits, unit);
}

bool is_pair(const Json& value) { return value.is_array() && value.size() == 2; }

std::string range(const Json& numbers, std::string_view unit) {
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  if (*low == *high) return fmt::format("{} × {}", numbers.size(), quantity(*low, unit));
  return fmt::format("{} to {} ({} values)", quantity(*low, unit), quantity(*high, unit), numbers.size());
}

std::string list_with_unit(const Json& list, std::string_view unit) {
  constexpr std::size_t short_enough = 8;
  const bool numeric = std::ranges::all_of(list, [](const Json& element) { return element.is_number(); });
  if (numeric && list.size() > short_enough) return range(list, unit);
  std::string text;
  const bool pairs = !list.empty() && std::ranges::all_of(list, is_pair);
  for (const Json& element : list) {
    if (!text.empty()) text += ", ";
    text += pairs ? quantity(element[0], unit) + " → " + quantity(element[1], unit) : quantity(element, unit);
  }
  return pairs ? text : "[" + text + "]";
}

/// {kind = "bits", bits = [7, 8]} becomes "bits [7, 8]"; other tables name their members.
std::string table_with_unit(const Json& table, std::string_view unit) {
  std::string text = table.contains("kind") ? quantity(table.at("kind"), "") : "";
  for (const auto& [name, member] : table.items()) {
    if (name == "kind") continue;
    if (!text.empty()) text += table.contains("kind") ? " " : ", ";
    text += (table.contains("kind") ? "" : name + " ") + quantity(member, unit);
  }
  return text;
}

}  // namespace

std::string quantity(const Json& value, std::string_view unit) {
  if (value.is_number()) return number_with_unit(value.get<double>(), unit);
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) return list_with_unit(value, unit);
  return value.is_object() ? table_with_unit(value, unit) : std::string();
}

}  // namespace tomograph::host
