#ifndef TOMOGRAPH_TOML_NESTING_HPP
#define TOMOGRAPH_TOML_NESTING_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tomograph {

/// More parts than this has no key that means anything.
inline constexpr std::size_t most_key_parts = 32;

/// The line, counted from 1, of the first key that has more than `most_key_parts` parts, as in `a.b.c = 1` or
/// `[a.b.c]`; nothing if there is none. To be asked before toml++ parses a text that a stranger wrote: it limits how
/// deep values lie in each other, but makes a table of each part of a key, and destroys tables in each other by
/// recursion, so that one line of a megabyte is enough to exhaust the stack. What is malformed may be told or not.
[[nodiscard]] std::optional<std::uint32_t> line_of_deep_key(std::string_view toml);

}  // namespace tomograph

#endif
