#ifndef TOMOGRAPH_TOML_NESTING_HPP
#define TOMOGRAPH_TOML_NESTING_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tomograph {

/// Far more parts than any key of a configuration, topology or GPU description has, and few enough that nested tables
/// take little of the stack.
inline constexpr std::size_t most_key_parts = 32;

/// The line, counted from 1, of the first key that has more than `most_key_parts` parts, as in `a.b.c = 1` or
/// `[a.b.c]`; nothing if there is none. Call it before toml++ parses untrusted text. toml++ limits the nesting of
/// values, but it makes a table of each part of a key and destroys nested tables by recursion, so a line of a megabyte
/// would exhaust the stack. Malformed text may or may not be reported.
[[nodiscard]] std::optional<std::uint32_t> line_of_deep_key(std::string_view toml);

}  // namespace tomograph

#endif
