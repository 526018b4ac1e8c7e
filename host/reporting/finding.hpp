#ifndef TOMOGRAPH_HOST_REPORTING_FINDING_HPP
#define TOMOGRAPH_HOST_REPORTING_FINDING_HPP

#include <string>
#include <vector>

#include "topology/merge.hpp"

namespace tomograph::host {

/// One sentence with both values of a finding in `topology`: "l1_data.size is 249 KiB, but 256 KiB by the API (...)".
[[nodiscard]] std::string finding_text(const Finding& finding, const Topology& topology);

/// One sentence about a finding of topology/conditions.hpp: "the SM clock stepped once between ... while ... ran".
[[nodiscard]] std::string condition_finding_text(const Json& finding);

/// The sentences about what happened to the device in the run that `topology` comes from.
[[nodiscard]] std::vector<std::string> run_findings(const Topology& topology);

/// The conditions of that run on one line, e.g. "SM 1.98 GHz, memory 2.62 GHz, 98 to 412 W, 41 to 55 °C, driver
/// 580.65". Empty if the device told none.
[[nodiscard]] std::string conditions_line(const Topology& topology);

/// All findings of a topology: a list of {"key": ..., "against": ..., "message": one sentence}. What happened to the
/// device has an empty key and nothing it is against, but its "kind" and "probes" (topology/conditions.hpp).
[[nodiscard]] Json findings_json(const Topology& topology);

}  // namespace tomograph::host

#endif
