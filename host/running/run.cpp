#include "running/run.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "running/link_turn.hpp"
#include "running/schedule.hpp"
#include "topology/merge.hpp"

namespace tomograph::host {
namespace {

using Status = OutcomeStatus;

/// How the run of one probe ended, for all the facts that it leaves open.
Outcome outcome(const ProbeDescription& probe, Status status, std::string reason) {
  return {status, std::move(reason), std::nullopt, probe.id};
}

Outcome skipped(const ProbeDescription& probe, SkipCategory category, std::string reason) {
  return {Status::skipped, std::move(reason), category, probe.id};
}

Outcome interrupted(const ProbeDescription& probe) {
  return skipped(probe, SkipCategory::interrupted, "the run was interrupted");
}

/// What a plugin gave as a category. Anything that it may not give counts as "device".
SkipCategory category_of_plugin(const std::string& name) {
  const auto* const found =
      std::ranges::find(skip_categories_of_plugins, name, [](auto one) { return to_string(one); });
  return found == skip_categories_of_plugins.end() ? SkipCategory::device : *found;
}

Outcome left_out(const LeftOut& left) {
  switch (left.cause) {
    case LeftOut::Cause::faulty: return outcome(*left.probe, Status::failed, left.reason);
    case LeftOut::Cause::blocked: return outcome(*left.probe, Status::blocked, left.reason);
    default: return skipped(*left.probe, SkipCategory::configuration, left.reason);
  }
}

std::string or_else(const std::string& reason, const char* otherwise) { return reason.empty() ? otherwise : reason; }

/// What a probe published until another program disturbed it. The rest of its facts is inconclusive.
Publication before_disturbance(const ProbeDescription& probe, const CallResult& result) {
  Publication published = result.published;
  for (const FactDeclaration& declared : probe.provides) {
    if (published.facts.contains(declared.key) || published.absent.contains(declared.key)) continue;
    published.inconclusive.emplace(declared.key, or_else(result.error, "another program used the device"));
  }
  return published;
}

/// The outcome that a probe's result means for all of its facts, or nothing if it ended well.
std::optional<Outcome> failure(const ProbeDescription& probe, const CallResult& result) {
  const std::string error = or_else(result.error, "the probe gave no reason");
  switch (result.status) {
    case TOMOGRAPH_OK: return std::nullopt;
    case TOMOGRAPH_SKIPPED:
      return skipped(probe, category_of_plugin(result.skip_category),
                     or_else(result.skip_reason, "the probe gave no reason"));
    case TOMOGRAPH_UNSUPPORTED: return skipped(probe, SkipCategory::device, "unsupported: " + error);
    case TOMOGRAPH_DEVICE_LOST: return outcome(probe, Status::failed, "the device was lost: " + error);
    default: return outcome(probe, Status::failed, error);
  }
}

LinkTurn turn_for(LinkUse use) {
  switch (use) {
    case LinkUse::gpus: return LinkTurn::links_to_gpus;
    case LinkUse::host: return LinkTurn::link_to_host;
    default: return LinkTurn::own_gpu;
  }
}

class Run {
 public:
  Run(Workers& workers, const RunEvents& events, Topology& topology, Evidence& evidence)
      : workers_(&workers), events_(&events), topology_(&topology), evidence_(&evidence) {}

  bool run(const Plan& plan, std::size_t most_at_once) {
    for (const LeftOut& left : plan.left_out) {
      settle(*left.probe, left_out(left), {});
    }
    Schedule schedule(plan.probes, most_at_once);
    while (!schedule.has_ended()) {
      const auto next = makes_way() ? std::nullopt : schedule.next([this] { return is_host_link_taken(); });
      if (next) {
        begin(plan.probes[*next], *next, schedule);
      } else {
        take(workers_->next_ending(), plan, schedule);
      }
    }
    return !interrupted_;
  }

 private:
  struct Running {
    std::size_t number;  ///< in the plan
    std::chrono::steady_clock::time_point begun;
  };

  void begin(const PlannedProbe& planned, std::size_t number, Schedule& schedule) {
    const ProbeDescription& probe = *planned.probe;
    const auto bad_ending = begin_in_process(planned, number);
    if (!bad_ending) return schedule.begin(number);
    end(probe, bad_ending, {});
    schedule.end(number);
  }

  /// Returns the outcome of a probe that cannot begin.
  std::optional<Outcome> begin_in_process(const PlannedProbe& planned, std::size_t number) {
    const ProbeDescription& probe = *planned.probe;
    if (interrupted_) return interrupted(probe);
    if (auto blocked = blocked_by(probe)) return blocked;
    if (device_gone_ && !probe.is_model) return outcome(probe, Status::failed, *device_gone_);
    try {
      if (running_.empty()) take_turn(probe);
      const auto begun = std::chrono::steady_clock::now();
      if (events_->begin) events_->begin(probe.id);
      workers_->begin(*planned.plugin, probe, events_->parameters(probe), known_needs_of(probe));
      running_.emplace(probe.id, Running{number, begun});
      return std::nullopt;
    } catch (const DeviceGone& gone) {
      device_gone_ = gone.what();
      return outcome(probe, Status::failed, gone.what());
    } catch (const Interrupted&) {
      interrupted_ = true;
      return interrupted(probe);
    }
  }

  void take(const ProbeEnding& ending, const Plan& plan, Schedule& schedule) {
    const Running running = running_.extract(ending.probe).mapped();
    if (running_.empty()) turn_ = {};
    if (ending.call.kind == CallEnding::Kind::again) return schedule.repeat(running.number);
    const ProbeDescription& probe = *plan.probes[running.number].probe;
    ProbeRun run;
    const auto bad_ending = ending_of(probe, ending.call, run);
    const std::chrono::duration<double> all = std::chrono::steady_clock::now() - running.begun;
    run.seconds = all.count() - ending.call.result.waiting_seconds;
    end(probe, bad_ending, run);
    schedule.end(running.number);
  }

  /// Whether runs of other GPUs of the node may use this one too, when they measure links.
  [[nodiscard]] bool sees_several_gpus() const {
    const auto gpus = topology_->facts.find("device.gpus");
    return gpus != topology_->facts.end() && gpus->second.value.size() > 1;
  }

  /// Whether another run has its turn on the link to the host.
  [[nodiscard]] bool is_host_link_taken() const {
    if (interrupted_) return false;
    try {
      return is_link_to_host_taken(link_turn_file());
    } catch (const std::system_error&) {
      return false;  // turn_of() says so
    }
  }

  /// Whether another run waits until the probes of this one have ended.
  [[nodiscard]] bool makes_way() const {
    try {
      return turn_.turn.get() >= 0 && !running_.empty() && is_link_turn_awaited(link_turn_file());
    } catch (const std::system_error&) {
      return false;
    }
  }

  void take_turn(const ProbeDescription& probe) {
    turn_ = {};  // or this run would wait for itself
    turn_ = turn_of(probe);
  }

  /// Waits for the probe's turn. Without a lock, runs may disturb each other, which is said.
  [[nodiscard]] LinkLocks turn_of(const ProbeDescription& probe) const {
    if (probe.uses_links == LinkUse::none && !sees_several_gpus()) return {};
    const LinkTurn turn = turn_for(probe.uses_links);
    try {
      return take_link_turn(link_turn_file(), turn, workers_->interruption(), [&] {
        if (events_->waits) events_->waits(probe.id);
      });
    } catch (const std::system_error& error) {
      if (events_->without_turns) events_->without_turns(error.what());
      return {};
    }
  }

  /// Merges what a probe published if it succeeded. Otherwise returns the outcome of its facts.
  std::optional<Outcome> ending_of(const ProbeDescription& probe, const CallEnding& ending, ProbeRun& run) {
    switch (ending.kind) {
      case CallEnding::Kind::crashed: return outcome(probe, Status::crashed, ending.reason);
      case CallEnding::Kind::timed_out: return outcome(probe, Status::timed_out, ending.reason);
      case CallEnding::Kind::interrupted: interrupted_ = true; return interrupted(probe);
      case CallEnding::Kind::again:  // take() repeats it
      case CallEnding::Kind::answered: break;
    }
    try {
      run.experiments = ending.result.experiments;
      run.disturbances = ending.result.disturbances;
      run.executing_seconds = ending.result.executing_seconds;
      run.plugin_seconds = ending.result.plugin_seconds;
      if (ending.result.status == TOMOGRAPH_DISTURBED) {
        take_over(probe, before_disturbance(probe, ending.result));
        return std::nullopt;
      }
      if (auto bad = failure(probe, ending.result)) {
        // What it measured may tell why. Curves of an earlier run belong to the facts that stay.
        if (!ending.result.published.curves.empty()) evidence_->try_emplace(probe.id, ending.result.published.curves);
        return bad;
      }
      take_over(probe, ending.result.published);
      return std::nullopt;
    } catch (const std::exception& broken) {
      return outcome(probe, Status::crashed,
                     std::string("its process sent a message that the host cannot read: ") + broken.what());
    }
  }

  void take_over(const ProbeDescription& probe, const Publication& published) {
    for (const FactDeclaration& declared : probe.provides) {
      topology_->facts.erase(declared.key);
      const auto fact = published.facts.find(declared.key);
      if (fact != published.facts.end()) {
        add_fact(*topology_, declared.key, fact->second);
      } else {
        topology_->outcomes[declared.key] = without_value(probe, declared.key, published);
      }
    }
    if (!published.curves.empty()) (*evidence_)[probe.id] = published.curves;
  }

  /// Why a declared fact was not published.
  [[nodiscard]] Outcome without_value(const ProbeDescription& probe, const std::string& key,
                                      const Publication& published) const {
    const auto absence = published.absent.find(key);
    if (absence != published.absent.end()) return skipped(probe, SkipCategory::device, absence->second);
    const auto reason = published.inconclusive.find(key);
    if (reason != published.inconclusive.end()) return outcome(probe, Status::inconclusive, reason->second);
    if (events_->unsettled) events_->unsettled(probe.id, key);
    return outcome(probe, Status::inconclusive, "the probe ended without saying why");
  }

  void end(const ProbeDescription& probe, const std::optional<Outcome>& bad_ending, const ProbeRun& run) {
    settle(probe, bad_ending, run);
    if (events_->end) events_->end(probe.id, topology_->probes.at(probe.id));
  }

  /// Completes the outcomes of a probe. If it failed, facts of an earlier run stay.
  void settle(const ProbeDescription& probe, const std::optional<Outcome>& bad_ending, ProbeRun run) {
    if (bad_ending) {
      for (const FactDeclaration& declared : probe.provides) {
        if (!topology_->facts.contains(declared.key)) topology_->outcomes[declared.key] = *bad_ending;
      }
    }
    const Outcome ending = bad_ending ? *bad_ending : best_outcome(probe);
    run.status = ending.status;
    run.reason = ending.reason;
    topology_->probes[probe.id] = run;
  }

  /// The outcome of a probe that succeeded: measured if any fact was, else inconclusive, else skipped.
  [[nodiscard]] Outcome best_outcome(const ProbeDescription& probe) const {
    for (const Status status : {Status::measured, Status::inconclusive, Status::skipped}) {
      for (const FactDeclaration& declared : probe.provides) {
        const Outcome& outcome = topology_->outcomes.at(declared.key);
        if (outcome.status == status) return outcome;
      }
    }
    return {};
  }

  /// The fact, or null. What is more likely wrong than right is not built upon.
  [[nodiscard]] const FactRecord* known(const NeedDeclaration& need) const {
    constexpr double as_likely_wrong = 0.5;
    const auto fact = topology_->facts.find(need.key);
    return fact == topology_->facts.end() || fact->second.confidence < as_likely_wrong ? nullptr : &fact->second;
  }

  [[nodiscard]] std::optional<Outcome> blocked_by(const ProbeDescription& probe) const {
    for (const NeedDeclaration& need : probe.needs) {
      if (need.optional || known(need) != nullptr) continue;
      if (topology_->facts.contains(need.key)) {
        return outcome(probe, Status::blocked, "needs " + need.key + ", whose value is more likely wrong than right");
      }
      const auto without_value = topology_->outcomes.find(need.key);
      // A probe of something that the device lacks is skipped.
      if (without_value == topology_->outcomes.end()) {
        return skipped(probe, SkipCategory::device, "not applicable: the device does not report " + need.key);
      }
      const Outcome& state = without_value->second;
      if (is_absent_on_device(state)) return skipped(probe, SkipCategory::device, state.reason);
      return outcome(probe, Status::blocked,
                     "needs " + need.key + ", which is " + std::string(to_string(state.status)));
    }
    return std::nullopt;
  }

  [[nodiscard]] KnownNeeds known_needs_of(const ProbeDescription& probe) const {
    KnownNeeds needs;
    for (const NeedDeclaration& need : probe.needs) {
      if (const FactRecord* fact = known(need)) {
        needs.facts.emplace(need.key, *fact);
        continue;
      }
      const auto outcome = topology_->outcomes.find(need.key);
      if (outcome == topology_->outcomes.end() || !is_absent_on_device(outcome->second)) continue;
      needs.absent.emplace(need.key, outcome->second.reason);
    }
    return needs;
  }

  Workers* workers_;
  const RunEvents* events_;
  Topology* topology_;
  Evidence* evidence_;
  std::map<std::string, Running> running_;  ///< by probe
  LinkLocks turn_;                          ///< of those that run
  bool interrupted_ = false;
  std::optional<std::string> device_gone_;
};

}  // namespace

bool run_plan(const Plan& plan, std::size_t most_at_once, Workers& workers, const RunEvents& events, Topology& topology,
              Evidence& evidence) {
  return Run(workers, events, topology, evidence).run(plan, most_at_once);
}

}  // namespace tomograph::host
