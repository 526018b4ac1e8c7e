#include "values.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace tomograph::mt4g {

namespace {

constexpr std::int64_t kilo = 1000;
constexpr double bytes_per_gibibyte = 1 << 30;

constexpr std::array names{std::pair<std::string_view, std::string_view>{"l1_data", "L1"},
                           std::pair<std::string_view, std::string_view>{"texture", "Texture"},
                           std::pair<std::string_view, std::string_view>{"read_only", "Read Only"}};

Json json_of(const Value& value) { return Json::parse(to_json(value)); }

Json with_unit(Json value, const char* unit) { return {{"value", std::move(value)}, {"unit", unit}}; }

}  // namespace

Json plain(const Topology& topology, const std::string& key) {
  const KnownFact* fact = topology.fact(key);
  return fact == nullptr ? Json() : json_of(fact->value);
}

Json reported_bytes(const Topology& topology, const std::string& key) {
  const auto size = topology.rounded(key);
  return size ? with_unit(*size, "bytes") : Json();
}

Json measured_bytes(const Topology& topology, const std::string& key) {
  const KnownFact* fact = topology.fact(key);
  if (fact == nullptr) return {};
  return {
      {"size", *topology.rounded(key)}, {"unit", "bytes"}, {"confidence", fact->confidence}, {"method", fact->method}};
}

Json kilohertz(const Topology& topology, const std::string& key) {
  const auto frequency = topology.rounded(key);
  return frequency ? with_unit(*frequency / kilo, "kHz") : Json();
}

Json bits(const Topology& topology, const std::string& key) {
  const auto width = topology.rounded(key);
  return width ? with_unit(*width, "bit") : Json();
}

Json bandwidth(const Topology& topology, const std::string& key) {
  const KnownFact* fact = topology.fact(key);
  if (fact == nullptr) return {};
  const auto clock = topology.value<double>("device.sm_clock");
  const bool of_sm = fact->unit == "B/cycle";
  const auto bytes_per_second = of_sm && clock ? std::optional(fact->value.get<double>() * *clock)
                                : of_sm        ? std::nullopt
                                               : std::optional(fact->value.get<double>());
  return bytes_per_second ? with_unit(*bytes_per_second / bytes_per_gibibyte, "GiB/s") : Json();
}

Json latency(const Topology& topology, const std::string& key) {
  const KnownFact* fact = topology.fact(key);
  if (fact == nullptr) return {};
  Json latency{{"mean", json_of(fact->value)},
               {"unit", "cycles"},
               {"method", fact->method},
               {"measurements", fact->samples},
               {"sampleSize", fact->samples}};
  if (fact->conditions.contains("statistic")) latency["statistic"] = json_of(fact->conditions.at("statistic"));
  if (fact->conditions.contains("median")) latency["p50"] = json_of(fact->conditions.at("median"));
  for (const char* name : {"p95", "stdev"}) {
    if (fact->conditions.contains(name)) latency[name] = json_of(fact->conditions.at(name));
  }
  return latency;
}

Json cycles(const Topology& topology, const std::string& key) {
  const auto number = topology.value<double>(key);
  return number ? with_unit(*number, "cycles") : Json();
}

Json cache_names(const Topology& topology, const std::string& key) {
  const auto caches = topology.value<std::vector<std::string>>(key);
  Json found = Json::array();
  for (const std::string& cache : caches.value_or(std::vector<std::string>())) {
    for (const auto& [ours, theirs] : names) {
      if (cache == ours) found.push_back(theirs);
    }
  }
  return found.empty() ? Json() : found;
}

std::optional<std::pair<int, int>> version(const Topology& topology, const std::string& key) {
  const auto text = topology.value<std::string>(key);
  if (!text) return std::nullopt;
  std::pair<int, int> numbers;
  const char* end = text->data() + text->size();
  const auto [point, no_major] = std::from_chars(text->data(), end, numbers.first);
  if (no_major != std::errc() || point == end || *point != '.') return std::nullopt;
  const auto [rest, no_minor] = std::from_chars(point + 1, end, numbers.second);
  return no_minor == std::errc() && rest == end ? std::optional(numbers) : std::nullopt;
}

}  // namespace tomograph::mt4g
