// The exporter csv: one fact a line, for spreadsheets, pandas and databases.
#include "table.hpp"

namespace {

using namespace tomograph;

struct Csv {
  static constexpr const char* id = "csv";
  static constexpr const char* description = "Comma-separated values, one fact a line, for spreadsheets and pandas";
  static constexpr const char* suffix = ".csv";

  static void write(std::span<const Topology> topologies, Sink& sink) {
    sink.write(csv::header());
    for (const Topology& topology : topologies) sink.write(csv::lines(topology));
  }
};

}  // namespace

TOMOGRAPH_PLUGIN("csv", "1.0.0", "Writes facts as comma-separated values", tomograph::Exporters<Csv>)
