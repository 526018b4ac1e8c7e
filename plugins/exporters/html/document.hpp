#ifndef TOMOGRAPH_EXPORTERS_HTML_DOCUMENT_HPP
#define TOMOGRAPH_EXPORTERS_HTML_DOCUMENT_HPP

#include <span>
#include <string>
#include <string_view>

#include "tomograph/exporter.hpp"

namespace tomograph::html {

/// The data of the page as JSON that can stand in an element <script>: {"topologies": [{"name", "topology", "findings",
/// "evidence"}]}. Evidence is compressed by packed(), or null where there is none.
[[nodiscard]] std::string page_data(std::span<const Topology> topologies);

/// A text in zlib's format, as base64. @throws std::runtime_error if memory runs out.
[[nodiscard]] std::string packed(std::string_view text);

}  // namespace tomograph::html

#endif
