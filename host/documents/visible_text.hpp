#ifndef TOMOGRAPH_HOST_DOCUMENTS_VISIBLE_TEXT_HPP
#define TOMOGRAPH_HOST_DOCUMENTS_VISIBLE_TEXT_HPP

#include <string>
#include <string_view>

namespace tomograph::host {

/// A UTF-8 text on one line, with its control characters as JSON escapes: "\n", "\u001b". A terminal would obey them.
[[nodiscard]] std::string visible(std::string_view text);

/// The same of a text of several lines with the emphasis of Style (reporting), both of which stay.
[[nodiscard]] std::string visible_lines(std::string_view text);

}  // namespace tomograph::host

#endif
