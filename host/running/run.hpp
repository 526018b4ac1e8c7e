#ifndef TOMOGRAPH_HOST_RUNNING_RUN_HPP
#define TOMOGRAPH_HOST_RUNNING_RUN_HPP

#include <functional>
#include <string>

#include "planning/plan.hpp"
#include "running/workers.hpp"
#include "topology/evidence.hpp"
#include "topology/topology.hpp"

namespace tomograph::host {

/// Callbacks of a run, for the probes that are planned. All but `parameters` may be empty.
struct RunEvents {
  std::function<Json(const ProbeDescription&)> parameters;  ///< returns the value of every declared parameter
  std::function<void(const std::string& probe)> begin;
  std::function<void(const std::string& probe)> waits;  ///< for its turn beside runs on other GPUs; begins afterwards
  /// Probes that measure links, and those beside them, take no turns, for this reason.
  std::function<void(const std::string& reason)> without_turns;
  std::function<void(const std::string& probe, const ProbeRun&)> end;
  /// The probe ended well but neither published a fact that it declares nor gave a reason.
  std::function<void(const std::string& probe, const std::string& fact)> unsettled;
};

/// Runs the probes of a plan, at most `most_at_once` at the same time (schedule.hpp), and merges what they publish into
/// `topology` and `evidence`, which contain what is already known. Every fact of a planned probe gets an outcome. The
/// facts of a probe count only if it succeeds. Returns false if the user interrupted the run; the remaining probes are
/// then skipped as "interrupted".
bool run_plan(const Plan& plan, std::size_t most_at_once, Workers& workers, const RunEvents& events, Topology& topology,
              Evidence& evidence);

}  // namespace tomograph::host

#endif
