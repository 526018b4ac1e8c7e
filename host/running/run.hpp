#ifndef TOMOGRAPH_HOST_RUNNING_RUN_HPP
#define TOMOGRAPH_HOST_RUNNING_RUN_HPP

#include <functional>
#include <string>

#include "planning/plan.hpp"
#include "running/workers.hpp"
#include "topology/evidence.hpp"
#include "topology/topology.hpp"

namespace tomograph::host {

/// The reason that stands for a declared fact about which its probe said nothing.
inline constexpr const char* ended_without_saying_why = "the probe ended without saying why";

/// What a run asks for and tells while it goes on, about the probes that are planned and not left out.
struct RunEvents {
  std::function<Json(const ProbeDescription&)> parameters;  ///< value of every declared parameter
  std::function<void(const std::string& probe)> begin;
  std::function<void(const std::string& probe, const ProbeRun&)> end;
};

/// Runs the probes of a plan one after the other and merges what they publish into `topology` and `evidence`,
/// which come with what is known beforehand. Every fact that a planned probe declares ends with an outcome; the
/// facts of a probe count only if it ends well. Returns false if the user interrupted it: then what had not
/// ended is skipped as "interrupted".
bool run_plan(const Plan& plan, Workers& workers, const RunEvents& events, Topology& topology, Evidence& evidence);

}  // namespace tomograph::host

#endif
