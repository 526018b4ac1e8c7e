#ifndef TOMOGRAPH_HOST_EXPLAINING_CONFIDENCE_TABLE_HPP
#define TOMOGRAPH_HOST_EXPLAINING_CONFIDENCE_TABLE_HPP

#include <span>

#include "explaining/confidence_entries.hpp"

namespace tomograph::host {

/// All constants of analysis/confidence.hpp in their order; confidence_table.cmake takes them from there.
[[nodiscard]] std::span<const ConfidenceEntry> confidence_table();

}  // namespace tomograph::host

#endif
