#ifndef TOMOGRAPH_SM_MAP_LEVELS_HPP
#define TOMOGRAPH_SM_MAP_LEVELS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Levels of a chip's hierarchy of SMs. Pure functions.
namespace tomograph::sm_map {

/// The group of each SM. Groups are numbered by their lowest SM.
using Level = std::vector<std::size_t>;

/// The level of groups that name each of `sms` SMs once; nothing if they do not.
[[nodiscard]] std::optional<Level> level_of(const std::vector<std::vector<std::int64_t>>& groups, std::size_t sms);
/// The same from the group of each SM, numbered in any way.
[[nodiscard]] Level renumbered(const Level& level);
/// SMs that are together in both levels.
[[nodiscard]] Level common(const Level& one, const Level& other);
/// Two SMs that are together in `inner` but not in `outer`, as text; nothing if `inner` nests in `outer`.
[[nodiscard]] std::optional<std::string> stray(const Level& inner, const Level& outer);

}  // namespace tomograph::sm_map

#endif
