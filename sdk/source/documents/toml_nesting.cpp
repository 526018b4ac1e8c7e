#include "tomograph/documents/toml_nesting.hpp"

#include <algorithm>

namespace tomograph {

namespace {

/// The text after the string at the start of `text`: "", '', """""" or ''''''.
std::string_view after_string(std::string_view text) {
  const char mark = text.front();
  const std::string_view three = mark == '"' ? R"(""")" : "'''";
  const std::string_view end = text.starts_with(three) ? three : three.substr(0, 1);
  std::size_t at = end.size();
  while (at < text.size() && !text.substr(at).starts_with(end)) {
    if (end.size() == 1 && text[at] == '\n') return text.substr(at);  // malformed
    at += mark == '"' && text[at] == '\\' ? 2 : 1;
  }
  text.remove_prefix(std::min(at + end.size(), text.size()));
  // Up to two quotation marks directly before the final three belong to the string.
  for (int i = 0; end.size() == 3 && i < 2 && text.starts_with(mark); ++i) text.remove_prefix(1);
  return text;
}

}  // namespace

std::optional<std::uint32_t> line_of_deep_key(std::string_view toml) {
  std::size_t points = 0;
  std::string_view rest = toml;
  while (!rest.empty()) {
    const char c = rest.front();
    if (c == '"' || c == '\'') {
      rest = after_string(rest);
      continue;
    }
    if (c == '#') {
      rest.remove_prefix(std::min(rest.find('\n'), rest.size()));
      continue;
    }
    if (c == '.' && ++points == most_key_parts) {
      const std::string_view before = toml.substr(0, toml.size() - rest.size());
      return static_cast<std::uint32_t>(std::ranges::count(before, '\n') + 1);
    }
    if (std::string_view("\n=[]{},").find(c) != std::string_view::npos) points = 0;
    rest.remove_prefix(1);
  }
  return std::nullopt;
}

}  // namespace tomograph
