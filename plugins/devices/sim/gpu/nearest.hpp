#ifndef TOMOGRAPH_SIM_GPU_NEAREST_HPP
#define TOMOGRAPH_SIM_GPU_NEAREST_HPP

#include <span>
#include <string>
#include <string_view>

namespace tomograph::sim {

/// "; did you mean 'x'?" with the known name at the smallest edit distance (Levenshtein 1966), or nothing if
/// more than a third of `name` would have to change.
[[nodiscard]] std::string suggestion(std::string_view name, std::span<const std::string> known);

}  // namespace tomograph::sim

#endif
