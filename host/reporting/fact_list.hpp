#ifndef TOMOGRAPH_HOST_REPORTING_FACT_LIST_HPP
#define TOMOGRAPH_HOST_REPORTING_FACT_LIST_HPP

#include <string>

#include "topology/topology.hpp"

namespace tomograph::host {

/// Every fact with value, interval, confidence and method, and every open question with its reason: one line each, of
/// rows a line each, in columns, part by part. Values of more than eight columns are summed up, long texts wrapped.
/// Works with any topology. Ends with a newline unless it is empty.
[[nodiscard]] std::string fact_list(const Topology& topology, bool color);

}  // namespace tomograph::host

#endif
