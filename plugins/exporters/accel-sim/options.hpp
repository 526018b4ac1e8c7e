#ifndef TOMOGRAPH_EXPORTERS_ACCEL_SIM_OPTIONS_HPP
#define TOMOGRAPH_EXPORTERS_ACCEL_SIM_OPTIONS_HPP

#include <set>
#include <string>
#include <vector>

#include "tomograph/exporter.hpp"

namespace tomograph::accel_sim {

/// An option of the simulator's configuration.
struct Option {
  std::string name;
  std::string value;
};

/// What of a topology the simulator can express.
struct Options {
  std::vector<Option> complete;
  std::vector<Option> partial;    ///< a "?" stands for each part that was not measured
  std::set<std::string> sources;  ///< keys of the facts behind the complete ones
};

/// The options whose facts are known.
[[nodiscard]] Options options_of(const Topology& topology);

}  // namespace tomograph::accel_sim

#endif
