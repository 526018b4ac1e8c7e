// The exporter superbench: what `sb result diagnosis` reads.
#include <unistd.h>

#include <array>

#include "summary_line.hpp"

namespace {

using namespace tomograph;

std::string this_node() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

struct SuperBench {
  static constexpr const char* id = "superbench";
  static constexpr const char* description = "A node's line in SuperBench's results-summary.jsonl";
  static constexpr const char* suffix = ".jsonl";
  static constexpr std::array parameters{
      parameter("node", TOMOGRAPH_TEXT, "\"\"", 0, 0, "Name of the node; empty: of this host")};

  static void write(std::span<const Topology> topologies, Sink& sink, const Session& session) {
    const auto node = session.parameter<std::string>("node");
    sink.write(superbench::summary_line(topologies, node.empty() ? this_node() : node));
  }
};

}  // namespace

TOMOGRAPH_PLUGIN("superbench", "1.0.0", "Writes facts as metrics of SuperBench", tomograph::Exporters<SuperBench>)
