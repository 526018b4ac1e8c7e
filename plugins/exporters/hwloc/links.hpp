#ifndef TOMOGRAPH_EXPORTERS_HWLOC_LINKS_HPP
#define TOMOGRAPH_EXPORTERS_HWLOC_LINKS_HPP

#include <vector>

#include "object.hpp"
#include "tomograph/exporter.hpp"

namespace tomograph::hwloc {

/// The GPUs that link.bandwidth.copy names, as devices of the operating system with CUDA's numbers. None if links were
/// not measured.
[[nodiscard]] std::vector<Object> linked_gpus(const Topology& topology);

/// Their bandwidths in MB/s, by pair, as hwloc has them of NVLinks; 0 where there is no link, and for a GPU and itself.
[[nodiscard]] std::vector<Distances> link_distances(const Topology& topology);

}  // namespace tomograph::hwloc

#endif
