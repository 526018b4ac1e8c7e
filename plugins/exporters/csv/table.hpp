#ifndef TOMOGRAPH_EXPORTERS_CSV_TABLE_HPP
#define TOMOGRAPH_EXPORTERS_CSV_TABLE_HPP

#include <string>

#include "tomograph/exporter.hpp"

namespace tomograph::csv {

/// The first line: names of the columns.
[[nodiscard]] std::string header();

/// A line for each fact of the topology, in the order of keys. Fields are quoted as RFC 4180 has it, lines end in \n.
/// A list or table is JSON text in its field; a discrete value has no low and high.
[[nodiscard]] std::string lines(const Topology& topology);

}  // namespace tomograph::csv

#endif
