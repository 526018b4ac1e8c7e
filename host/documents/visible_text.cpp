#include "documents/visible_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tomograph::host {
namespace {

/// The sequences that Style writes.
constexpr std::array<std::string_view, 4> emphasis{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[33m"};

/// Bytes of the control character at the beginning of the text, 0 if it begins with another. Those of C1, U+0080 to
/// U+009F, have two bytes in UTF-8.
std::size_t control_size(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x20 || first == 0x7F) return 1;
  const bool is_c1 = first == 0xC2 && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xA0;
  return is_c1 ? 2 : 0;
}

std::string escaped(std::string_view control) {
  switch (control.back()) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return fmt::format("\\u{:04x}", static_cast<unsigned char>(control.back()));
  }
}

/// The text with its control characters escaped, but for those of which `kept_size` tells a size at their beginning.
template <typename KeptSize>
std::string with_escapes(std::string_view text, KeptSize kept_size) {
  std::string result;
  while (!text.empty()) {
    const std::size_t control = control_size(text);
    const std::size_t kept = control == 0 ? 1 : kept_size(text);
    result += kept == 0 ? escaped(text.substr(0, control)) : std::string(text.substr(0, kept));
    text.remove_prefix(kept == 0 ? control : kept);
  }
  return result;
}

}  // namespace

std::string visible(std::string_view text) {
  return with_escapes(text, [](std::string_view) { return std::size_t{0}; });
}

std::string visible_lines(std::string_view text) {
  return with_escapes(text, [](std::string_view rest) {
    const auto* const found = std::ranges::find_if(emphasis, [&](auto each) { return rest.starts_with(each); });
    if (found != emphasis.end()) return found->size();
    return rest.front() == '\n' ? std::size_t{1} : std::size_t{0};
  });
}

}  // namespace tomograph::host
