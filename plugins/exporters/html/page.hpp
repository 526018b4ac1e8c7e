#ifndef TOMOGRAPH_EXPORTERS_HTML_PAGE_HPP
#define TOMOGRAPH_EXPORTERS_HTML_PAGE_HPP

#include <span>
#include <string_view>

namespace tomograph::html {

/// The page before the place of its data, in pieces. CMake makes them from page/ and echarts/.
[[nodiscard]] std::span<const std::string_view> page_head();

/// The page behind its data, in pieces.
[[nodiscard]] std::span<const std::string_view> page_tail();

}  // namespace tomograph::html

#endif
