#ifndef TOMOGRAPH_EXPORTERS_HWLOC_INFOS_HPP
#define TOMOGRAPH_EXPORTERS_HWLOC_INFOS_HPP

#include <string>
#include <utility>
#include <vector>

#include "tomograph/exporter.hpp"

namespace tomograph::hwloc {

/// Names and values of info attributes.
using Infos = std::vector<std::pair<std::string, std::string>>;

/// What the topology says of the device: first the infos that hwloc's own CUDA backend writes (sizes in KiB), then each
/// fact that is one number, word or truth value, e.g. {"tomograph.l2.latency", "281.6 cycle"}.
[[nodiscard]] Infos device_infos(const Topology& topology);

}  // namespace tomograph::hwloc

#endif
