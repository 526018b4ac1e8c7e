#ifndef TOMOGRAPH_FACT_HPP
#define TOMOGRAPH_FACT_HPP

#include <cstdint>
#include <optional>
#include <string>

#include "tomograph/abi/fact.h"
#include "tomograph/value.hpp"

namespace tomograph {

/// A closed interval of a continuous value.
struct Interval {
  double low = 0;
  double high = 0;
};

/// A fact to be published. The fields are those of tomograph_fact; the unit comes from the declaration.
struct Fact {
  std::string key = {};
  Value value = {};
  std::string method = {};
  double confidence = 0;
  std::optional<Interval> interval = std::nullopt;
  std::uint64_t samples = 0;
  Value conditions = Value::table();
  std::string evidence = {};
  tomograph_source source = TOMOGRAPH_MEASURED;
};

/// Declarations for the static constexpr arrays of a probe. All strings must be literals.
constexpr tomograph_fact_spec fact_spec(const char* key, tomograph_value_type type, const char* unit,
                                        tomograph_scope scope, const char* help) {
  return {sizeof(tomograph_fact_spec), type, scope, key, unit, help};
}
/// Declarations of common kinds of facts, e.g. declare::cycles("l2.latency", declare::per_device, "Latency of a hit").
namespace declare {

inline constexpr tomograph_scope per_sm = TOMOGRAPH_PER_SM;
inline constexpr tomograph_scope per_partition = TOMOGRAPH_PER_PARTITION;
inline constexpr tomograph_scope per_device = TOMOGRAPH_PER_DEVICE;

/// A real number of clock cycles.
constexpr tomograph_fact_spec cycles(const char* key, tomograph_scope scope, const char* help) {
  return fact_spec(key, TOMOGRAPH_REAL, "cycle", scope, help);
}
/// The bytes that a memory holds: an integer if they are counted, a real if the fact has an interval.
constexpr tomograph_fact_spec capacity(const char* key, tomograph_scope scope, const char* help) {
  return fact_spec(key, TOMOGRAPH_REAL, "B", scope, help);
}
/// An integer number of bytes.
constexpr tomograph_fact_spec bytes(const char* key, tomograph_scope scope, const char* help) {
  return fact_spec(key, TOMOGRAPH_INTEGER, "B", scope, help);
}
/// An integer without unit.
constexpr tomograph_fact_spec count(const char* key, tomograph_scope scope, const char* help) {
  return fact_spec(key, TOMOGRAPH_INTEGER, "1", scope, help);
}
/// A real number without unit.
constexpr tomograph_fact_spec ratio(const char* key, tomograph_scope scope, const char* help) {
  return fact_spec(key, TOMOGRAPH_REAL, "1", scope, help);
}
constexpr tomograph_fact_spec bytes_per_second(const char* key, tomograph_scope scope, const char* help) {
  return fact_spec(key, TOMOGRAPH_REAL, "B/s", scope, help);
}
constexpr tomograph_fact_spec bytes_per_cycle(const char* key, tomograph_scope scope, const char* help) {
  return fact_spec(key, TOMOGRAPH_REAL, "B/cycle", scope, help);
}
/// True or false.
constexpr tomograph_fact_spec flag(const char* key, tomograph_scope scope, const char* help) {
  return fact_spec(key, TOMOGRAPH_BOOLEAN, "", scope, help);
}
constexpr tomograph_fact_spec text(const char* key, tomograph_scope scope, const char* help) {
  return fact_spec(key, TOMOGRAPH_TEXT, "", scope, help);
}
/// A list whose help says what its elements are.
constexpr tomograph_fact_spec list(const char* key, const char* unit, tomograph_scope scope, const char* help) {
  return fact_spec(key, TOMOGRAPH_LIST, unit, scope, help);
}

}  // namespace declare

constexpr tomograph_need need(const char* key) { return {sizeof(tomograph_need), 0, key}; }
constexpr tomograph_need optional_need(const char* key) { return {sizeof(tomograph_need), 1, key}; }

/// `default_json` is the default as JSON text; `minimum` and `maximum` bound numbers, inclusive.
constexpr tomograph_parameter_spec parameter(const char* name, tomograph_value_type type, const char* default_json,
                                             double minimum, double maximum, const char* help) {
  return {sizeof(tomograph_parameter_spec), type, minimum, maximum, name, default_json, help};
}

}  // namespace tomograph

#endif
