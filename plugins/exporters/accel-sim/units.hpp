#ifndef TOMOGRAPH_EXPORTERS_ACCEL_SIM_UNITS_HPP
#define TOMOGRAPH_EXPORTERS_ACCEL_SIM_UNITS_HPP

#include <string>
#include <vector>

#include "tomograph/exporter.hpp"

namespace tomograph::accel_sim {

/// Units of an SM that execute instructions of one kind, as the simulator models them.
struct Units {
  const char* kind = "";  ///< "sp", "dp", "int" or "sfu"
  std::string source;     ///< the instruction whose facts these are, e.g. "instruction.fp32_fma"
  long count = 0;
  long latency = 0;     ///< cycles until a dependent instruction starts
  long initiation = 0;  ///< cycles until a unit takes the next instruction of a warp
};

/// The kinds of units of which latency and throughput are known. All kinds have as many units as an SM starts
/// instructions in a cycle, and an initiation interval that gives the measured throughput.
[[nodiscard]] std::vector<Units> units_of(const Topology& topology);

}  // namespace tomograph::accel_sim

#endif
