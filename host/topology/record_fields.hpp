#ifndef TOMOGRAPH_HOST_TOPOLOGY_RECORD_FIELDS_HPP
#define TOMOGRAPH_HOST_TOPOLOGY_RECORD_FIELDS_HPP

#include <array>
#include <string_view>

namespace tomograph::host {

/// Names in the table of a fact that are not parts of a longer fact key, in the order in which they are written.
inline constexpr std::array<std::string_view, 11> record_fields{"value",   "unit",       "source",     "method",
                                                                "probe",   "scope",      "confidence", "interval",
                                                                "samples", "conditions", "evidence"};

/// Names at the top of a topology file that do not begin a fact key.
inline constexpr std::array<std::string_view, 4> root_names{"schema_version", "provenance", "outcomes", "probes"};

}  // namespace tomograph::host

#endif
