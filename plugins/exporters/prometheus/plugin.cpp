// The exporter prometheus: metrics for the textfile collector of node_exporter.
#include "metrics.hpp"

namespace {

using namespace tomograph;

struct Prometheus {
  static constexpr const char* id = "prometheus";
  static constexpr const char* description =
      "Metrics for node_exporter's textfile collector, labelled as dcgm-exporter's";
  static constexpr const char* suffix = ".prom";

  static void write(std::span<const Topology> topologies, Sink& sink) {
    sink.write(prometheus::metrics_of(topologies));
  }
};

}  // namespace

TOMOGRAPH_PLUGIN("prometheus", "1.0.0", "Writes facts as Prometheus metrics", tomograph::Exporters<Prometheus>)
