#ifndef TOMOGRAPH_HOST_TOPOLOGY_RECORD_FIELDS_HPP
#define TOMOGRAPH_HOST_TOPOLOGY_RECORD_FIELDS_HPP

#include <array>
#include <string_view>

namespace tomograph::host {

/// Fields of a fact's table, in the order in which they are written. No part of a fact key has such a name.
inline constexpr std::array<std::string_view, 11> record_fields{"value",   "unit",       "source",     "method",
                                                                "probe",   "scope",      "confidence", "interval",
                                                                "samples", "conditions", "evidence"};

/// Top-level names of a topology file. No fact key begins with one.
inline constexpr std::array<std::string_view, 4> root_names{"schema_version", "provenance", "outcomes", "probes"};

}  // namespace tomograph::host

#endif
