#include "running/checked_fact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "loading/device_facts.hpp"
#include "loading/names.hpp"
#include "tomograph/documents/toml_text.hpp"

namespace tomograph::host {
namespace {

/// Limits of the JSON text of a value. The largest facts, lists over all SMs, have some kilobytes and three levels.
/// Readers recurse into values, so deep nesting would exhaust their stack.
constexpr std::size_t longest_json = std::size_t{1} << 20;
constexpr int deepest_json = 16;

std::string_view source_name(tomograph_source source) {
  switch (source) {
    case TOMOGRAPH_MEASURED: return "measured";
    case TOMOGRAPH_API: return "api";
    case TOMOGRAPH_DERIVED: return "derived";
    default: throw std::invalid_argument("its source is unknown");
  }
}

/// Whether values of this unit are amounts or rates. Cycles may be a difference.
bool is_never_negative(const std::string& unit) {
  return unit == "B" || unit == "B/cycle" || unit == "FLOP/cycle" || unit == "B/s" || unit == "Hz" || unit == "s";
}

std::optional<std::pair<double, double>> interval_of(const tomograph_fact& fact, const Json& value) {
  if (std::isnan(fact.interval_low) && std::isnan(fact.interval_high)) return std::nullopt;
  if (!std::isfinite(fact.interval_low) || !std::isfinite(fact.interval_high)) {
    throw std::invalid_argument("its interval is not finite");
  }
  const bool covers =
      !value.is_number() || (fact.interval_low <= value.get<double>() && value.get<double>() <= fact.interval_high);
  if (fact.interval_low > fact.interval_high || !covers) {
    throw std::invalid_argument("its interval does not cover its value");
  }
  return std::pair{fact.interval_low, fact.interval_high};
}

Json json_text(const char* text, const char* what) {
  if (text != nullptr && ::strnlen(text, longest_json + 1) > longest_json) {
    throw std::invalid_argument(std::string(what) + " has more than " + std::to_string(longest_json) + " bytes");
  }
  int deepest = 0;
  const auto look_at_depth = [&](int depth, Json::parse_event_t, Json&) {
    deepest = std::max(deepest, depth);
    return true;
  };
  Json value = Json::parse(required(text, what), look_at_depth, false);
  if (deepest > deepest_json) throw std::invalid_argument(std::string(what) + " is nested too deep");
  if (value.is_discarded()) throw std::invalid_argument(std::string(what) + " is no JSON");
  return value;
}

void check_device_fact(const std::string& key, const FactRecord& record) {
  const DeviceFact* fact = find_device_fact(key);
  if (fact == nullptr) return;
  const bool is_large_enough = !record.value.is_number() || record.value.get<double>() >= fact->least;
  if (is_of_type(record.value, fact->type) && record.unit == fact->unit && is_large_enough) return;
  const bool is_number = fact->type == ValueType::integer || fact->type == ValueType::real;
  throw std::invalid_argument(fmt::format("it is {} with the unit \"{}\", expected {}{} and the unit \"{}\"",
                                          record.value.dump(), record.unit, to_string(fact->type),
                                          is_number ? fmt::format(" of at least {}", fact->least) : "", fact->unit));
}

void check_declaration(const std::string& key, const FactRecord& record, const Caller& caller) {
  const auto declared = caller.provides.find(key);
  if (declared == caller.provides.end()) throw std::invalid_argument(caller.id + " does not declare it");
  const FactDeclaration& declaration = declared->second;
  if (!is_of_type(record.value, declaration.type)) {
    throw std::invalid_argument("its value " + record.value.dump() + " is no " +
                                std::string(to_string(declaration.type)));
  }
  if (record.value.is_number() && record.value.get<double>() < 0 && is_never_negative(record.unit)) {
    throw std::invalid_argument("its value " + record.value.dump() + " " + record.unit + " is negative");
  }
  if (record.unit != declaration.unit) {
    throw std::invalid_argument("its unit \"" + record.unit + "\" is not the declared \"" + declaration.unit + "\"");
  }
  if (caller.kind == Caller::Kind::model && record.source != "derived") {
    throw std::invalid_argument("the facts of a model are derived");
  }
  if (record.source == "measured" && record.evidence.empty()) {
    throw std::invalid_argument("it is measured but names no evidence");
  }
}

}  // namespace

std::string required(const char* text, const char* what) {
  if (text == nullptr) throw std::invalid_argument(std::string(what) + " is null");
  static_cast<void>(Json(text).dump());  // throws unless it is UTF-8
  return text;
}

FactRecord checked_fact(const std::string& key, const tomograph_fact& fact, const Caller& caller) {
  FactRecord record;
  record.value = json_text(fact.value_json, "its value");
  record.unit = required(fact.unit, "its unit");
  record.source = source_name(fact.source);
  record.method = required(fact.method, "its method");
  record.probe = caller.id;
  record.scope = "device";
  record.confidence = fact.confidence;
  record.interval = interval_of(fact, record.value);
  record.samples = fact.samples;
  record.conditions = json_text(fact.conditions_json, "its conditions");
  record.evidence = required(fact.evidence, "its evidence");
  if (!(fact.confidence >= 0 && fact.confidence <= 1)) throw std::invalid_argument("its confidence is not in [0, 1]");
  if (!record.conditions.is_object()) throw std::invalid_argument("its conditions are no JSON object");
  if (const auto obstacle = value_obstacle(record.value)) throw std::invalid_argument(*obstacle);
  if (caller.kind == Caller::Kind::device) {
    if (!is_fact_key(key) || !is_device_fact(key)) {
      throw std::invalid_argument("a device publishes \"device.\" keys and nominal facts only");
    }
    if (record.source != "api") throw std::invalid_argument("a device publishes API facts only");
    if (!is_unit(record.unit)) throw std::invalid_argument("its unit \"" + record.unit + "\" is unknown");
    check_device_fact(key, record);
    return record;
  }
  check_declaration(key, record, caller);
  const FactDeclaration& declaration = caller.provides.at(key);
  record.scope = to_string(declaration.scope);
  const bool is_counted = record.unit == "B" && record.value.is_number_integer();
  if (declaration.type == ValueType::real && !is_counted) record.value = record.value.get<double>();
  record.value = estimated_as_real(record);
  return record;
}

}  // namespace tomograph::host
