#include "merging/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

#include "merging/record_fields.hpp"
#include "reporting/quantity.hpp"

namespace tomograph::host {
namespace {

bool is_key_part(std::string_view part) {
  return !part.empty() &&
         std::ranges::all_of(part, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

std::optional<std::string> number_obstacle(const Json& value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) return "a number is not finite";
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > largest) {
    return "an integer does not fit into 64 bits with sign";
  }
  return std::nullopt;
}

/// Whether the API's answer is one of those that the measurement leaves open.
bool agree(const FactRecord& measured, const FactRecord& nominal) {
  if (!measured.value.is_number() || !nominal.value.is_number() || !measured.interval) {
    return measured.value == nominal.value;
  }
  const auto answer = nominal.value.get<double>();
  return measured.interval->first <= answer && answer <= measured.interval->second;
}

std::string difference(const Json& measured, const Json& nominal) {
  if (!measured.is_number() || !nominal.is_number() || nominal.get<double>() == 0) return {};
  const double percent = 100 * (measured.get<double>() / nominal.get<double>() - 1);
  return fmt::format(", {:.2g} % {}", std::abs(percent), percent < 0 ? "less" : "more");
}

}  // namespace

std::optional<std::string> key_obstacle(std::string_view key) {
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    const std::string_view part = key.substr(begin, end - begin);
    if (!is_key_part(part)) return "expected parts of a-z, 0-9 and _ with points between them";
    const bool is_root_name = begin == 0 && std::ranges::find(root_names, part) != root_names.end();
    if (is_root_name || std::ranges::find(record_fields, part) != record_fields.end()) {
      return fmt::format("\"{}\" is a name that the topology file uses itself", part);
    }
    begin = end + 1;
  }
  return std::nullopt;
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

void add_fact(Topology& topology, const std::string& key, FactRecord record) {
  if (const auto present = topology.facts.find(key); present != topology.facts.end()) {
    const std::string& first = present->second.probe;
    throw std::invalid_argument(first == record.probe
                                    ? fmt::format("fact {} was published twice by {}", key, first)
                                    : fmt::format("fact {} was published by {} and by {}", key, first, record.probe));
  }
  if (const auto obstacle = key_obstacle(key)) throw std::invalid_argument(fmt::format("fact {}: {}", key, *obstacle));
  for (const Json* part : {&record.value, &record.conditions}) {
    if (const auto obstacle = value_obstacle(*part)) {
      throw std::invalid_argument(fmt::format("fact {} of {}: {}", key, record.probe, *obstacle));
    }
  }
  topology.outcomes[key] = Outcome{.status = "measured", .reason = {}, .category = {}, .probe = record.probe};
  topology.facts.emplace(key, std::move(record));
}

void add_given(Topology& topology, const Topology& given) {
  for (const auto& [key, record] : given.facts) {
    if (!topology.facts.emplace(key, record).second) continue;
    const auto outcome = given.outcomes.find(key);
    if (outcome != given.outcomes.end()) topology.outcomes[key] = outcome->second;
  }
}

std::vector<Finding> disagreements(const Topology& topology) {
  constexpr std::string_view prefix = "nominal_";
  std::vector<Finding> findings;
  for (const auto& [key, nominal] : topology.facts) {
    const std::size_t name = key.rfind('.') + 1;  // 0 where there is no point
    if (nominal.source != "api" || key.compare(name, prefix.size(), prefix) != 0) continue;
    const std::string measured_key = key.substr(0, name) + key.substr(name + prefix.size());
    const auto measured = topology.facts.find(measured_key);
    if (measured == topology.facts.end() || measured->second.source == "api" || agree(measured->second, nominal)) {
      continue;
    }
    const FactRecord& record = measured->second;
    findings.push_back(
        {measured_key, key,
         fmt::format("{} is {}, but {} by the API ({}){}", measured_key, quantity(record.value, record.unit),
                     quantity(nominal.value, nominal.unit), key, difference(record.value, nominal.value))});
  }
  return findings;
}

}  // namespace tomograph::host
