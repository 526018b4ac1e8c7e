#ifndef TOMOGRAPH_EXPORTERS_MARKDOWN_PAGE_HPP
#define TOMOGRAPH_EXPORTERS_MARKDOWN_PAGE_HPP

#include <string>
#include <string_view>

#include "tomograph/exporter.hpp"

namespace tomograph::markdown {

/// A number with its unit in four digits: "58.62 MiB", "281.6 cycles", "9.203 TB/s".
[[nodiscard]] std::string quantity(double value, std::string_view unit);

/// Whether the fact belongs into a summary: geometry, latency and bandwidth of a cache, TLB, memory or network.
[[nodiscard]] bool is_main(const KnownFact& fact);

/// The text within a table's cell or a paragraph, with what Markdown reads as markup escaped.
[[nodiscard]] std::string escaped(std::string_view text);

/// The summary of a topology.
[[nodiscard]] std::string page(const Topology& topology);

}  // namespace tomograph::markdown

#endif
