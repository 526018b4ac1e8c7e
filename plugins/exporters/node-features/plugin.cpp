// The exporter node-features: labels of a Kubernetes node.
#include "labels.hpp"

namespace {

using namespace tomograph;

struct NodeFeatures {
  static constexpr const char* id = "node-features";
  static constexpr const char* description = "Feature file of Kubernetes Node Feature Discovery: labels of a node";
  static constexpr const char* suffix = ".features";
  static constexpr std::array parameters{
      parameter("expiry_time", TOMOGRAPH_TEXT, "\"\"", 0, 0, "Time (RFC 3339) after which the labels are removed")};

  static void write(std::span<const Topology> topologies, Sink& sink, const Session& session) {
    if (const auto expiry = session.parameter<std::string>("expiry_time"); !expiry.empty()) {
      if (!node_features::is_time(expiry)) {
        throw Refused(TOMOGRAPH_INVALID, "expiry_time: expected a time such as 2026-12-01T00:00:00Z, found " + expiry);
      }
      sink.write("# +expiry-time=" + expiry + "\n");
    }
    const std::string lines = node_features::lines(topologies);
    if (lines.empty()) throw Refused(TOMOGRAPH_INVALID, topologies[0].name() + ": it has no fact that becomes a label");
    sink.write(lines);
  }
};

}  // namespace

TOMOGRAPH_PLUGIN("node-features", "1.0.0", "Writes facts as labels of a Kubernetes node",
                 tomograph::Exporters<NodeFeatures>)
