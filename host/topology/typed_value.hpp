#ifndef TOMOGRAPH_HOST_TOPOLOGY_TYPED_VALUE_HPP
#define TOMOGRAPH_HOST_TOPOLOGY_TYPED_VALUE_HPP

#include <optional>
#include <string>

#include "topology/fact_record.hpp"

/// Values of a topology by their type. The schema leaves the type of a fact's value open, so that readers must.
namespace tomograph::host {

/// The value if it is a number.
[[nodiscard]] inline std::optional<double> number_of(const Json& value) {
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

/// The value if it is true or false.
[[nodiscard]] inline std::optional<bool> truth_of(const Json& value) {
  return value.is_boolean() ? std::optional(value.get<bool>()) : std::nullopt;
}

/// The value if it is a text.
[[nodiscard]] inline std::optional<std::string> text_of(const Json& value) {
  return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
}

}  // namespace tomograph::host

#endif
