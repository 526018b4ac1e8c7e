#ifndef TOMOGRAPH_HOST_DOCUMENTS_DISPLAY_WIDTH_HPP
#define TOMOGRAPH_HOST_DOCUMENTS_DISPLAY_WIDTH_HPP

#include <cstddef>
#include <string_view>

namespace tomograph::host {

/// Columns that a UTF-8 text takes on a terminal, if each of its characters takes one.
[[nodiscard]] std::size_t display_width(std::string_view text);

}  // namespace tomograph::host

#endif
