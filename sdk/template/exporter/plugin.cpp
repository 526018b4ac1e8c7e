// The exporter @DEVICE@: what the host learns about the format.
#include "lines.hpp"

using namespace tomograph;

struct Exporter {
  static constexpr const char* id = "@DEVICE@";
  static constexpr const char* description = "A made-up format: one fact a line";
  static constexpr const char* suffix = ".txt";
  static constexpr std::array parameters{
      parameter("least_confidence", TOMOGRAPH_REAL, "0.0", 0, 1, "Confidence below which facts are left out")};

  static void write(const Topology& topology, Sink& sink, const Session& session) {
    sink.write(lines(topology, session.parameter<double>("least_confidence")));
  }
};

TOMOGRAPH_PLUGIN("@PLUGIN@", "0.1.0", "An exporter to start from", Exporters<Exporter>)
