#include <string>

#include "mt4g.hpp"
#include "tomograph/exporter.hpp"

namespace {

struct Mt4g {
  static constexpr const char* id = "mt4g";
  static constexpr const char* description = "JSON report as MT4G writes it, for sys-sage and other readers of MT4G's";
  static constexpr const char* suffix = ".json";

  static void write(const tomograph::Topology& topology, tomograph::Sink& sink, const tomograph::Session& session) {
    const auto report = tomograph::mt4g::report_of(topology);
    for (const std::string& message : report.left_out) session.log(TOMOGRAPH_WARNING, message);
    sink.write(report.json);
  }
};

}  // namespace

TOMOGRAPH_PLUGIN("mt4g", "1.0.0", "Writes topologies as MT4G does", tomograph::Exporters<Mt4g>)
