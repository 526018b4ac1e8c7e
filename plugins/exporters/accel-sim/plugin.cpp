#include "accel_sim.hpp"
#include "tomograph/exporter.hpp"

namespace {

struct AccelSim {
  static constexpr const char* id = "accel-sim";
  static constexpr const char* description = "Statistics from which Accel-Sim's tuner.py makes a configuration";
  static constexpr const char* suffix = ".txt";

  static void write(const tomograph::Topology& topology, tomograph::Sink& sink) {
    sink.write(tomograph::accel_sim::statistics(topology));
  }
};

}  // namespace

TOMOGRAPH_PLUGIN("accel-sim", "1.0.0", "Writes topologies for Accel-Sim", tomograph::Exporters<AccelSim>)
