#ifndef TOMOGRAPH_NEAREST_NAME_HPP
#define TOMOGRAPH_NEAREST_NAME_HPP

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tomograph {

/// The candidate that `name` was most likely meant to be, or nothing if none is near: optimal string alignment
/// distance (Damerau 1964) of at most a third of the name, at least one. Ties go to the first candidate.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> candidates);

/// "; did you mean 'x'?", or nothing if no candidate is near. For the end of an error message.
[[nodiscard]] std::string suggestion(std::string_view name, std::span<const std::string> candidates);

}  // namespace tomograph

#endif
