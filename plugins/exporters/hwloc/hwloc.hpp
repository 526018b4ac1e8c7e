#ifndef TOMOGRAPH_EXPORTERS_HWLOC_HWLOC_HPP
#define TOMOGRAPH_EXPORTERS_HWLOC_HWLOC_HPP

#include <string>

#include "tomograph/exporter.hpp"

namespace tomograph::hwloc {

/// The device as a topology of hwloc 2 in XML: one Core with one PU for each SM, caches and groups around those that
/// share them, memory and shared memory as NUMA nodes with memory attributes. What the topology does not hold is left
/// out. @throws Refused if the number of SMs is not known.
[[nodiscard]] std::string topology_xml(const Topology& topology);

/// A shell script that adds the infos of the device to an object of a host's topology: script INPUT OUTPUT OBJECT.
[[nodiscard]] std::string annotation_script(const Topology& topology);

}  // namespace tomograph::hwloc

#endif
