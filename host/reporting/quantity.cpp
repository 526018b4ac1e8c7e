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

std::string list_with_unit(const Json& list, std::string_view unit) {
  constexpr std::size_t short_enough = 8;
  const bool numeric = std::ranges::all_of(list, [](const Json& element) { return element.is_number(); });
  if (numeric && list.size() > short_enough) {
    const auto [low, high] = std::minmax_element(list.begin(), list.end());
    if (*low == *high) return fmt::format("{} × {}", list.size(), quantity(*low, unit));
    return fmt::format("{} to {} ({} values)", quantity(*low, unit), quantity(*high, unit), list.size());
  }
  std::string text;
  for (const Json& element : list) {
    if (!text.empty()) text += ", ";
    text += quantity(element, unit);
  }
  return "[" + text + "]";
}

}  // namespace

std::string quantity(const Json& value, std::string_view unit) {
  if (value.is_number()) return number_with_unit(value.get<double>(), unit);
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) return list_with_unit(value, unit);
  std::string text;
  for (const auto& [name, member] : value.items()) {
    if (!text.empty()) text += ", ";
    text += name + " " + quantity(member, unit);
  }
  return text;
}

}  // namespace tomograph::host
