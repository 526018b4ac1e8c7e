#ifndef TOMOGRAPH_HOST_REPORTING_TREE_HPP
#define TOMOGRAPH_HOST_REPORTING_TREE_HPP

#include <string>

#include "topology/topology.hpp"

namespace tomograph::host {

/// The hierarchy as a tree for people: what was found, what stayed open and why, and the findings. Works with
/// any part of a topology. Ends with a newline.
[[nodiscard]] std::string tree(const Topology& topology, bool color);

}  // namespace tomograph::host

#endif
