#include "running/run.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include "process/messages.hpp"
#include "topology/merge.hpp"

namespace tomograph::host {
namespace {

/// How the run of one probe ended, for all the facts that it leaves open.
Outcome outcome(const ProbeDescription& probe, std::string status, std::string reason, std::string category = {}) {
  return {std::move(status), std::move(reason), std::move(category), probe.id};
}

std::string known_category(const std::string& category) {
  constexpr std::array<std::string_view, 4> categories{"device", "configuration", "resource", "permission"};
  return std::ranges::find(categories, category) == categories.end() ? "device" : category;
}

Outcome left_out(const LeftOut& left) {
  switch (left.cause) {
    case LeftOut::Cause::faulty: return outcome(*left.probe, "failed", left.reason);
    case LeftOut::Cause::blocked: return outcome(*left.probe, "blocked", left.reason);
    default: return outcome(*left.probe, "skipped", left.reason, "configuration");
  }
}

std::string or_else(const std::string& reason, const char* otherwise) { return reason.empty() ? otherwise : reason; }

/// The outcome that a probe's answer means for all of its facts, or nothing if it ended well.
std::optional<Outcome> failure(const ProbeDescription& probe, const Json& answer) {
  const std::string error = or_else(answer.value("error", ""), "the probe gave no reason");
  switch (answer.at("status").get<tomograph_status>()) {
    case TOMOGRAPH_OK: return std::nullopt;
    case TOMOGRAPH_SKIPPED:
      return outcome(probe, "skipped", or_else(answer.value("skip_reason", ""), "the probe gave no reason"),
                     known_category(answer.value("skip_category", "")));
    case TOMOGRAPH_UNSUPPORTED: return outcome(probe, "skipped", "unsupported: " + error, "device");
    case TOMOGRAPH_DEVICE_LOST: return outcome(probe, "failed", "the device was lost: " + error);
    default: return outcome(probe, "failed", error);
  }
}

class Run {
 public:
  Run(Workers& workers, const RunEvents& events, Topology& topology, Evidence& evidence)
      : workers_(&workers), events_(&events), topology_(&topology), evidence_(&evidence) {}

  bool run(const Plan& plan) {
    for (const LeftOut& left : plan.left_out) {
      settle(*left.probe, left_out(left), {});
    }
    for (const PlannedProbe& planned : plan.probes) {
      if (interrupted_) {
        end(*planned.probe, outcome(*planned.probe, "skipped", "the run was interrupted", "interrupted"), {});
      } else {
        run_probe(planned);
      }
    }
    return !interrupted_;
  }

 private:
  void run_probe(const PlannedProbe& planned) {
    const ProbeDescription& probe = *planned.probe;
    if (const auto blocked = blocked_by(probe)) return end(probe, *blocked, {});
    if (device_gone_ && !probe.is_model) return end(probe, outcome(probe, "failed", *device_gone_), {});
    if (events_->begin) events_->begin(probe.id);
    const auto begun = std::chrono::steady_clock::now();
    ProbeRun run;
    std::optional<Outcome> bad_ending;
    try {
      const CallEnding ending = workers_->run(*planned.plugin, probe, events_->parameters(probe), facts_for(probe));
      bad_ending = ending_of(probe, ending, run);
    } catch (const DeviceGone& gone) {
      device_gone_ = gone.what();
      bad_ending = outcome(probe, "failed", gone.what());
    } catch (const Interrupted&) {
      interrupted_ = true;
      bad_ending = outcome(probe, "skipped", "the run was interrupted", "interrupted");
    }
    run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    end(probe, bad_ending, run);
  }

  /// Takes over what a probe that ended well has published.
  std::optional<Outcome> ending_of(const ProbeDescription& probe, const CallEnding& ending, ProbeRun& run) {
    switch (ending.kind) {
      case CallEnding::Kind::crashed: return outcome(probe, "crashed", ending.reason);
      case CallEnding::Kind::timed_out: return outcome(probe, "timed-out", ending.reason);
      case CallEnding::Kind::interrupted:
        interrupted_ = true;
        return outcome(probe, "skipped", ending.reason, "interrupted");
      case CallEnding::Kind::answered: break;
    }
    try {
      run.experiments = ending.answer.value("experiments", std::uint64_t{0});
      if (auto bad = failure(probe, ending.answer)) return bad;
      take_over(probe, ending.answer);
      return std::nullopt;
    } catch (const std::exception& broken) {
      return outcome(probe, "crashed", std::string("its process sent the host nonsense: ") + broken.what());
    }
  }

  void take_over(const ProbeDescription& probe, const Json& answer) {
    std::map<std::string, FactRecord> facts;
    std::map<std::string, Curve> curves;
    const Json& published = answer.at("facts");
    for (const FactDeclaration& declared : probe.provides) {
      const auto fact = published.find(declared.key);
      if (fact != published.end()) facts.emplace(declared.key, fact_from_message(*fact));
    }
    for (const auto& [name, columns] : answer.at("evidence").items()) {
      curves.emplace(name, arrays_from_message(columns));
    }
    const Json& reasons = answer.at("inconclusive");
    const Json& absences = answer.at("absent");
    for (const FactDeclaration& declared : probe.provides) {
      topology_->facts.erase(declared.key);
      const auto fact = facts.find(declared.key);
      if (fact != facts.end()) {
        add_fact(*topology_, declared.key, std::move(fact->second));
      } else if (absences.contains(declared.key)) {
        topology_->outcomes[declared.key] =
            outcome(probe, "skipped", absences.at(declared.key).get<std::string>(), "device");
      } else {
        topology_->outcomes[declared.key] =
            outcome(probe, "inconclusive", reasons.value(declared.key, ended_without_saying_why));
      }
    }
    if (!curves.empty()) (*evidence_)[probe.id] = std::move(curves);
  }

  void end(const ProbeDescription& probe, const std::optional<Outcome>& bad_ending, const ProbeRun& run) {
    settle(probe, bad_ending, run);
    if (events_->end) events_->end(probe.id, topology_->probes.at(probe.id));
  }

  /// Completes the outcomes of a probe. What it found out in an earlier run stays if it ended badly now.
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

  /// What stands for a probe that ended well: a fact that it measured, or else one that stayed open, or else one
  /// that does not exist here.
  [[nodiscard]] Outcome best_outcome(const ProbeDescription& probe) const {
    for (const std::string_view status : {"measured", "inconclusive", "skipped"}) {
      for (const FactDeclaration& declared : probe.provides) {
        const Outcome& outcome = topology_->outcomes.at(declared.key);
        if (outcome.status == status) return outcome;
      }
    }
    return {};
  }

  [[nodiscard]] std::optional<Outcome> blocked_by(const ProbeDescription& probe) const {
    for (const NeedDeclaration& need : probe.needs) {
      if (need.optional || topology_->facts.contains(need.key)) continue;
      const auto known = topology_->outcomes.find(need.key);
      if (known == topology_->outcomes.end()) {
        return outcome(probe, "blocked", "needs " + need.key + ", which is not published by the device");
      }
      // What the device does not have raises no further questions.
      const Outcome& state = known->second;
      if (state.status == "skipped" && state.category == "device") {
        return outcome(probe, "skipped", state.reason, "device");
      }
      return outcome(probe, "blocked", "needs " + need.key + ", which is " + state.status);
    }
    return std::nullopt;
  }

  [[nodiscard]] Json facts_for(const ProbeDescription& probe) const {
    Json facts = Json::object();
    for (const NeedDeclaration& need : probe.needs) {
      const auto known = topology_->facts.find(need.key);
      if (known != topology_->facts.end()) facts[need.key] = fact_message(known->second);
    }
    return facts;
  }

  Workers* workers_;
  const RunEvents* events_;
  Topology* topology_;
  Evidence* evidence_;
  bool interrupted_ = false;
  std::optional<std::string> device_gone_;
};

}  // namespace

bool run_plan(const Plan& plan, Workers& workers, const RunEvents& events, Topology& topology, Evidence& evidence) {
  return Run(workers, events, topology, evidence).run(plan);
}

}  // namespace tomograph::host
