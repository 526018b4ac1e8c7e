// The exporter markdown: a summary of a GPU for a wiki or a pull request.
#include "page.hpp"

namespace {

using namespace tomograph;

struct Markdown {
  static constexpr const char* id = "markdown";
  static constexpr const char* description = "A summary for a wiki or pull request: main facts and what is uncertain";
  static constexpr const char* suffix = ".md";

  static void write(const Topology& topology, Sink& sink) { sink.write(markdown::page(topology)); }
};

}  // namespace

TOMOGRAPH_PLUGIN("markdown", "1.0.0", "Writes a topology as a Markdown page", tomograph::Exporters<Markdown>)
