#ifndef TOMOGRAPH_HOST_EXPORTING_VERDICTS_HPP
#define TOMOGRAPH_HOST_EXPORTING_VERDICTS_HPP

#include "topology/topology.hpp"

namespace tomograph::host {

/// How the facts of `other` stand to those of `first`, by key: what `tomograph diff` says without options. Of facts
/// that both have, and that are not the same.
[[nodiscard]] Json verdicts_on(const Topology& first, const Topology& other);

}  // namespace tomograph::host

#endif
