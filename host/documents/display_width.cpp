#include "documents/display_width.hpp"

#include <algorithm>

namespace tomograph::host {

std::size_t display_width(std::string_view text) {
  // Every byte but the continuation bytes of UTF-8 (10xxxxxx) begins a character.
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

}  // namespace tomograph::host
