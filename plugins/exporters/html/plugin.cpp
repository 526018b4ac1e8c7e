// The exporter html: a report to look at, one page that needs no network.
#include "document.hpp"
#include "page.hpp"

namespace {

using namespace tomograph;

struct Html {
  static constexpr const char* id = "html";
  static constexpr const char* description = "A report to look at in a browser, one page that needs no network";
  static constexpr const char* suffix = ".html";
  static constexpr bool takes_evidence = true;

  static void write(std::span<const Topology> topologies, Sink& sink) {
    for (const std::string_view piece : html::page_head()) sink.write(piece);
    sink.write(html::page_data(topologies));
    for (const std::string_view piece : html::page_tail()) sink.write(piece);
  }
};

}  // namespace

TOMOGRAPH_PLUGIN("html", "1.0.0", "Writes a report to look at in a browser", tomograph::Exporters<Html>)
