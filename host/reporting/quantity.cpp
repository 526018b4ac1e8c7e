#include "reporting/quantity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "documents/visible_text.hpp"
#include "reporting/rows.hpp"

namespace tomograph::host {
namespace {

using Json = nlohmann::json;

/// Elements of a list that is shown whole.
constexpr std::size_t short_enough = 8;

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

/// Of latencies, in the largest unit that they reach.
std::string seconds(double value) {
  constexpr std::array<std::pair<double, const char*>, 3> units{{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}}};
  for (const auto& [unit, name] : units) {
    if (std::abs(value) >= unit) return fmt::format("{:.4g} {}", value / unit, name);
  }
  return fmt::format("{:.4g} ns", value * 1e9);
}

std::string number_with_unit(double value, std::string_view unit) {
  if (unit == "B") return scaled(value, 1024, {"B", "KiB", "MiB", "GiB", "TiB"});
  if (unit == "B/s") return scaled(value, 1000, {"B/s", "KB/s", "MB/s", "GB/s", "TB/s"});
  if (unit == "Hz") return scaled(value, 1000, {"Hz", "kHz", "MHz", "GHz", "THz"});
  if (unit == "s") return seconds(value);
  std::string digits = fmt::format("{:.4g}", value);
  if (std::floor(value) == value && std::abs(value) < 1e9) digits = fmt::format("{:.0f}", value);
  if (unit.empty() || unit == "1") return digits;
  if (unit == "cycle") return digits + (digits == "1" ? " cycle" : " cycles");
  return fmt::format("{} {}", digits, unit);
}

bool is_pair(const Json& value) { return value.is_array() && value.size() == 2; }

/// The texts with their unit once at the end, if it is the same for all: "[1, 2] cycles".
struct WithUnit {
  std::vector<std::string> texts;
  std::string unit;
};

WithUnit with_common_unit(const Json& numbers, std::string_view unit) {
  const auto unit_of = [](const std::string& text) { return text.substr(std::min(text.find(' '), text.size())); };
  WithUnit result;
  for (const Json& number : numbers) result.texts.push_back(quantity(number, unit));
  if (result.texts.empty()) return result;
  result.unit = unit_of(result.texts.front());
  const bool common = std::ranges::all_of(result.texts, [&](const auto& text) { return unit_of(text) == result.unit; });
  if (!common) result.unit.clear();
  for (std::string& text : result.texts) text.resize(text.size() - result.unit.size());
  return result;
}

std::string range(const Json& numbers, std::string_view unit) {
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  if (*low == *high) return fmt::format("{} × {}", numbers.size(), quantity(*low, unit));
  return fmt::format("{} ({} values)", range_text(low->get<double>(), high->get<double>(), unit), numbers.size());
}

/// What leads to what, neighbours that lead to the same taken together: "0 to 8192 → 256 KiB". Of a long list the first
/// and the last. The unit is that of what it leads to; what leads to it may be bytes, CTAs or whatever the key says.
std::string mapping(const Json& pairs, std::string_view unit) {
  std::vector<std::string> texts;
  for (std::size_t begin = 0; begin < pairs.size();) {
    std::size_t end = begin + 1;
    while (end < pairs.size() && pairs[end][1] == pairs[begin][1]) ++end;
    const std::string to = end - begin > 1 ? " to " + quantity(pairs[end - 1][0], "") : "";
    texts.push_back(quantity(pairs[begin][0], "") + to + " → " + quantity(pairs[begin][1], unit));
    begin = end;
  }
  if (texts.size() <= short_enough) return fmt::format("{}", fmt::join(texts, ", "));
  return fmt::format("{} ... {} ({} values)", texts.front(), texts.back(), pairs.size());
}

std::string list_with_unit(const Json& list, std::string_view unit) {
  if (list.empty()) return "none";
  const bool numeric = std::ranges::all_of(list, [](const Json& element) { return element.is_number(); });
  if (numeric && list.size() > short_enough) return range(list, unit);
  if (numeric) {
    const WithUnit numbers = with_common_unit(list, unit);
    return fmt::format("[{}]{}", fmt::join(numbers.texts, ", "), numbers.unit);
  }
  if (std::ranges::all_of(list, is_pair)) return mapping(list, unit);
  if (is_rows(list)) return short_rows(list, unit);
  std::vector<std::string> texts;
  for (const Json& element : list) texts.push_back(quantity(element, unit));
  return fmt::format("[{}]", fmt::join(texts, ", "));
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
  if (value.is_string()) return visible(value.get<std::string>());
  if (value.is_array()) return list_with_unit(value, unit);
  return value.is_object() ? table_with_unit(value, unit) : std::string();
}

std::string range_text(double low, double high, std::string_view unit) {
  if (low == high) return quantity(low, unit);
  const WithUnit ends = with_common_unit(Json::array({low, high}), unit);
  return fmt::format("{} to {}{}", ends.texts[0], ends.texts[1], ends.unit);
}

std::string counted(std::size_t count, std::string_view noun, std::string_view plural) {
  return fmt::format("{} {}", count, count == 1 ? noun : plural);
}

std::string percent_of(double confidence) {
  return confidence == 1 ? "100 %" : fmt::format("{:.4g} %", std::min(100 * confidence, 99.99));
}

std::string short_value(const std::string& key, const Json& value, std::string_view unit) {
  return is_grouped(key, value) ? group_sizes(value) : quantity(value, unit);
}

bool is_grouped(const std::string& key, const Json& value) { return key.ends_with("_groups") && value.is_array(); }

std::string group_sizes(const Json& groups) {
  Json sizes = Json::array();
  for (const Json& group : groups) sizes.push_back(group.size());
  if (sizes.empty()) return "none";
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  const std::string size = *least == *most ? quantity(*least, "") : quantity(*least, "") + " to " + quantity(*most, "");
  return fmt::format("{} groups of {}", groups.size(), size);
}

}  // namespace tomograph::host
