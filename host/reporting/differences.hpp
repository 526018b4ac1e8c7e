#ifndef TOMOGRAPH_HOST_REPORTING_DIFFERENCES_HPP
#define TOMOGRAPH_HOST_REPORTING_DIFFERENCES_HPP

#include <span>
#include <string>

#include "comparing/comparison.hpp"
#include "topology/topology.hpp"

namespace tomograph::host {

/// What differs, with both values, the most important first, and how many facts have each verdict. On one screen, or
/// with `all` every fact, also those that are the same. `differences` are those of `a` and `b`. Ends with a newline.
[[nodiscard]] std::string differences_text(std::span<const FactDifference> differences, const Topology& a,
                                           const Topology& b, bool all, bool color);

}  // namespace tomograph::host

#endif
