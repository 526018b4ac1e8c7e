#ifndef TOMOGRAPH_SCALAR_PARAMETERS_HPP
#define TOMOGRAPH_SCALAR_PARAMETERS_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tomograph/experiment.hpp"

namespace tomograph {

/// A request whose parameters are I64 arrays of one element each.
[[nodiscard]] Experiment encode_scalars(std::string id,
                                        const std::vector<std::pair<const char*, std::int64_t>>& scalars);

/// @throws std::invalid_argument naming a parameter that is not among `known`, or that occurs twice.
void expect_known_once(const Experiment& experiment, std::span<const std::string_view> known);

/// The parameters of such a request. It must outlive the object.
class ScalarParameters {
 public:
  /// @throws std::invalid_argument as expect_known_once.
  ScalarParameters(const Experiment& experiment, const std::vector<std::string_view>& known);

  /// @throws std::invalid_argument naming the parameter if it is of the wrong type or length.
  [[nodiscard]] std::int64_t at(std::string_view name) const;

  /// An enumerator from 0 to `last`. @throws std::invalid_argument also if the number is out of range.
  template <typename Enum>
  [[nodiscard]] Enum enumerator(std::string_view name, Enum last) const {
    return static_cast<Enum>(at_most(name, static_cast<std::int64_t>(last)));
  }

 private:
  [[nodiscard]] std::int64_t at_most(std::string_view name, std::int64_t last) const;

  const Experiment* experiment_;
};

/// A message that `value` is not in [low, high], or nothing if it is.
[[nodiscard]] std::optional<std::string> outside(const char* name, std::int64_t value, std::int64_t low,
                                                 std::int64_t high);

}  // namespace tomograph

#endif
