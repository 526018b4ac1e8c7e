#ifndef TOMOGRAPH_HOST_REPORTING_FINDING_HPP
#define TOMOGRAPH_HOST_REPORTING_FINDING_HPP

#include <string>

#include "topology/merge.hpp"

namespace tomograph::host {

/// One sentence with both values of a finding in `topology`: "l1_data.size is 249 KiB, but 256 KiB by the API (...)".
[[nodiscard]] std::string finding_text(const Finding& finding, const Topology& topology);

/// All findings of a topology: a list of {"key": ..., "against": ..., "message": finding_text}.
[[nodiscard]] Json findings_json(const Topology& topology);

}  // namespace tomograph::host

#endif
