#ifndef TOMOGRAPH_SCALARS_HPP
#define TOMOGRAPH_SCALARS_HPP

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tomograph/experiment.hpp"

/// Arrays as values, for plugins that define experiments of their own.
namespace tomograph {

/// The only element of the array called `name`. @throws std::invalid_argument naming the array if it is missing, of
/// another type or of another length.
template <Element T>
[[nodiscard]] T scalar(const Arrays& arrays, std::string_view name) {
  const auto values = numbers<T>(arrays, name);
  if (values.size() != 1) throw std::invalid_argument("array '" + std::string(name) + "' is not one number");
  return values.front();
}

/// A parameter that is an integer from `low` to `high`. @throws std::invalid_argument naming it if it is anything else.
[[nodiscard]] inline std::int64_t scalar_in(const Experiment& experiment, std::string_view name, std::int64_t low,
                                            std::int64_t high) {
  const auto value = scalar<std::int64_t>(experiment.parameters, name);
  if (value >= low && value <= high) return value;
  throw std::invalid_argument("parameter '" + std::string(name) + "' is " + std::to_string(value) + ", expected " +
                              std::to_string(low) + " to " + std::to_string(high));
}

/// A parameter that is an enumerator from 0 to `last`. @throws std::invalid_argument as `scalar_in`.
template <typename Enum>
[[nodiscard]] Enum enumerator_in(const Experiment& experiment, std::string_view name, Enum last) {
  return static_cast<Enum>(scalar_in(experiment, name, 0, static_cast<std::int64_t>(last)));
}

/// A copy of the array called `name`. @throws std::invalid_argument if it is missing or of another type.
template <Element T>
[[nodiscard]] std::vector<T> list_of(const Arrays& arrays, std::string_view name) {
  const auto values = numbers<T>(arrays, name);
  return {values.begin(), values.end()};
}

}  // namespace tomograph

#endif
