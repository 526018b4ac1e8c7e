#ifndef TOMOGRAPH_FACT_HPP
#define TOMOGRAPH_FACT_HPP

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tomograph/abi/fact.h"

/// Compiled once, in the SDK's library, and not again in each source that touches JSON.
extern template class nlohmann::basic_json<>;

namespace tomograph {

using Json = nlohmann::json;

/// A closed interval of a continuous value.
struct Interval {
  double low = 0;
  double high = 0;
};

/// A fact about to be published. The fields are those of tomograph_fact; the unit is taken from the
/// declaration.
struct Fact {
  std::string key = {};
  Json value = nullptr;
  std::string method = {};
  double confidence = 0;
  std::optional<Interval> interval = std::nullopt;
  std::uint64_t samples = 0;
  Json conditions = Json::object();
  std::string evidence = {};
  tomograph_source source = TOMOGRAPH_MEASURED;
};

/// Declarations, for static constexpr arrays in a probe. All strings must be literals.
constexpr tomograph_fact_spec fact_spec(const char* key, tomograph_value_type type, const char* unit,
                                        tomograph_scope scope, const char* help) {
  return {sizeof(tomograph_fact_spec), type, scope, key, unit, help};
}
constexpr tomograph_need need(const char* key) { return {sizeof(tomograph_need), 0, key}; }
constexpr tomograph_need optional_need(const char* key) { return {sizeof(tomograph_need), 1, key}; }

/// `default_json` is the default as JSON text; `minimum` and `maximum` bound numbers, inclusive.
constexpr tomograph_parameter_spec parameter(const char* name, tomograph_value_type type, const char* default_json,
                                             double minimum, double maximum, const char* help) {
  return {sizeof(tomograph_parameter_spec), type, minimum, maximum, name, default_json, help};
}

}  // namespace tomograph

#endif
