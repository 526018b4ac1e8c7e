#ifndef LINES_HPP
#define LINES_HPP

#include <string>

#include "tomograph/exporter.hpp"

/// A line "KEY = VALUE UNIT" for each fact that is at least this certain.
std::string lines(const tomograph::Topology& topology, double least_confidence);

#endif
