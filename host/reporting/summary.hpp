#ifndef TOMOGRAPH_HOST_REPORTING_SUMMARY_HPP
#define TOMOGRAPH_HOST_REPORTING_SUMMARY_HPP

#include <span>
#include <string>

#include "topology/topology.hpp"

namespace tomograph::host {

/// Table of a run: probe, outcome, seconds, facts published, and the reason where there is one. Ends with a
/// newline. `probes` are the ids of the run in its order; those without a ProbeRun are left out.
[[nodiscard]] std::string run_summary(const Topology& topology, std::span<const std::string> probes);

/// How many of these probes ended in which way: "72 probes: 70 measured, 2 skipped".
[[nodiscard]] std::string probe_counts(const Topology& topology, std::span<const std::string> probes);

}  // namespace tomograph::host

#endif
