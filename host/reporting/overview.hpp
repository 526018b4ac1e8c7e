#ifndef TOMOGRAPH_HOST_REPORTING_OVERVIEW_HPP
#define TOMOGRAPH_HOST_REPORTING_OVERVIEW_HPP

#include <string>

#include "topology/topology.hpp"

namespace tomograph::host {

/// A topology on one screen: sizes, latencies, bandwidths, which caches are one, what is uncertain or open, and the
/// findings. Facts that have no place in its tables are counted and left to fact_list(). Works with any topology. Ends
/// with a newline.
[[nodiscard]] std::string overview(const Topology& topology, bool color);

}  // namespace tomograph::host

#endif
