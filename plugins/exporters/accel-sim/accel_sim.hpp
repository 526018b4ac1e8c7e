#ifndef TOMOGRAPH_EXPORTERS_ACCEL_SIM_ACCEL_SIM_HPP
#define TOMOGRAPH_EXPORTERS_ACCEL_SIM_ACCEL_SIM_HPP

#include <string>

#include "tomograph/exporter.hpp"

namespace tomograph::accel_sim {

/// The statistics file from which Accel-Sim's tuner.py makes a configuration: the device's name, then options with
/// their values. Options of which only parts are known and facts that no option expresses are comments.
/// @throws Refused if the name of the device is not known.
[[nodiscard]] std::string statistics(const Topology& topology);

}  // namespace tomograph::accel_sim

#endif
