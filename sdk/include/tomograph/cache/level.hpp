#ifndef TOMOGRAPH_CACHE_LEVEL_HPP
#define TOMOGRAPH_CACHE_LEVEL_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tomograph/abi/fact.h"
#include "tomograph/cache/subject.hpp"
#include "tomograph/literal.hpp"

/// A cache level as a constant of a plugin, and the descriptor texts that follow from it.
namespace tomograph::cache {

/// Description of a level. All strings are literals. Every load on `path` that misses this level must go on to the
/// next. Members that a level may lack are optional rather than null: sanitizers do not let constant expressions
/// compare pointers.
struct Level {
  const char* prefix;     ///< of its fact keys, e.g. "l1_data"
  const char* probe;      ///< of its probe ids, e.g. "data-cache/l1."
  const char* name;       ///< within a sentence, e.g. "L1"
  tomograph_scope scope;  ///< of its facts
  chase::Path path;       ///< how loads reach it
  bool shared = false;    ///< whether all SMs share it
  /// A path to global memory that bypasses this level and fills the next one. Nothing: no such path exists, and caches
  /// are cold when a program starts.
  std::optional<chase::Path> behind = chase::Path::global_cg;
  std::optional<const Level*> above = std::nullopt;  ///< the level that loads pass first
  const char* next = "L2";                           ///< the level behind, within a sentence
  bool disturbed = false;                            ///< as in Subject
  /// Key of the fact that limits the bytes of a program's arrays. Nothing: the device's memory limits them.
  std::optional<const char*> reach = std::nullopt;
};

namespace detail {

/// The concatenated strings of `parts()`, with a terminating zero.
template <auto parts>
inline constexpr auto joined_characters = [] {
  constexpr std::size_t length = [] {
    std::size_t sum = 0;
    for (const std::string_view part : parts()) sum += part.size();
    return sum;
  }();
  std::array<char, length + 1> characters{};
  auto at = characters.begin();
  for (const std::string_view part : parts()) at = std::copy(part.begin(), part.end(), at);
  return characters;
}();

}  // namespace detail

/// The texts below are made from a constant with the members `prefix`, `probe` and `name` of Level: a Level, or what a
/// plugin has instead.

/// "l1_data.size" for the name "size": a literal for descriptors.
template <const auto& level, Literal fact>
inline constexpr const char* fact_key = detail::joined_characters<[] {
                                          return std::array<std::string_view, 3>{level.prefix, ".", fact.view()};
                                        }>.data();

/// "data-cache/l1.size" for the name "size".
template <const auto& level, Literal name>
inline constexpr const char* probe_id = detail::joined_characters<[] {
                                          return std::array<std::string_view, 2>{level.probe, name.view()};
                                        }>.data();

/// A sentence with the level's name between `before` and `after`.
template <const auto& level, Literal before, Literal after>
inline constexpr const char* sentence =
    detail::joined_characters<[] {
      return std::array<std::string_view, 3>{before.view(), level.name, after.view()};
    }>.data();

/// The same key at run time.
[[nodiscard]] inline std::string key(const Level& level, const char* fact) {
  return std::string(level.prefix) + "." + fact;
}

}  // namespace tomograph::cache

#endif
