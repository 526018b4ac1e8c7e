#include "measurement.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <string_view>
#include <vector>

#include "memory_host.hpp"
#include "plugins.hpp"
#include "sim/gpu/api_facts.hpp"
#include "sim/simulator.hpp"

namespace tomograph::bench {

namespace {

constexpr std::string_view absent = "absent: ";  ///< begins the reason why the GPU does not have a fact

/// Keeps published facts as records for later probes.
class RecordingHost : public MemoryHost {
 public:
  std::map<std::string, Json> records;

  RecordingHost() : table_(*MemoryHost::abi()) { table_.publish = &keep; }
  [[nodiscard]] const tomograph_host* abi() const { return &table_; }

 private:
  static tomograph_status keep(void* context, const tomograph_fact* fact) {
    auto& self = *static_cast<RecordingHost*>(static_cast<MemoryHost*>(context));
    self.records[fact->key] = {{"value", Json::parse(fact->value_json)},
                               {"confidence", fact->confidence},
                               {"method", fact->method},
                               {"conditions", Json::parse(fact->conditions_json)}};
    if (!std::isnan(fact->interval_low)) {
      self.records[fact->key]["interval"] = {fact->interval_low, fact->interval_high};
    }
    return TOMOGRAPH_OK;
  }

  tomograph_host table_;
};

void deliver(const std::vector<Answer>& answers, const tomograph_result_sink& sink) {
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i].status != TOMOGRAPH_OK) {
      sink.refuse(sink.context, i, answers[i].status, answers[i].reason.c_str());
      continue;
    }
    for (const ArrayView& array : answers[i].arrays) sink.array(sink.context, i, &array.crossing());
  }
}

class Run {
 public:
  Run(const Subject& subject, ProbeRuns& runs) : simulator_(subject.gpu, {.seed = subject.seed}, 1), runs_(&runs) {
    for (const sim::ApiFact& stated : sim::api_facts(subject.gpu))
      know(stated.key, {{"value", Json::parse(to_json(stated.value))}});
    for (const auto& [key, record] : subject.given) know(key, record);
  }

  void probe(const tomograph_probe& probe) {
    Told told;
    for (const tomograph_need* need : needs(probe)) {
      const auto known = result_.facts.find(need->key);
      const auto unknown = result_.unknown.find(need->key);
      if (known != result_.facts.end()) {
        told.facts[need->key] = known->second.dump();
      } else if (need->optional == 0) {
        return leave_out(result_, probe, std::string("blocked: ") + need->key + " is not known");
      } else if (unknown != result_.unknown.end() && unknown->second.starts_with(absent)) {
        told.absences[need->key] = unknown->second.substr(absent.size());
      }
    }
    add(found(probe, told));
  }

  /// All known keys.
  [[nodiscard]] std::set<std::string> known() const {
    std::set<std::string> keys;
    for (const auto& [key, record] : result_.facts) keys.insert(key);
    return keys;
  }

  [[nodiscard]] Measurement take() { return std::move(result_); }

 private:
  void know(const std::string& key, const Json& record) {
    if (record.is_null()) {
      result_.unknown[key] = std::string(absent) + "the GPU does not have it";
      return;
    }
    Json& known = result_.facts[key] = {{"confidence", 1.0}, {"method", "given"}, {"conditions", Json::object()}};
    known.update(record);
  }

  static void leave_out(Measurement& measurement, const tomograph_probe& probe, const std::string& reason) {
    for (const auto* fact : provides(probe)) measurement.unknown[fact->key] = reason;
  }

  const Measurement& found(const tomograph_probe& probe, const Told& told) {
    const auto [first, last] = runs_->equal_range(&probe);
    const auto same = std::find_if(first, last, [&](const auto& run) { return run.second.told == told; });
    if (same != last) return same->second.found;
    return runs_->emplace(&probe, ProbeRun{told, run(probe, told)})->second.found;
  }

  Measurement run(const tomograph_probe& probe, const Told& told) {
    RecordingHost host;
    host.facts = told.facts;
    host.absences = told.absences;
    for (const auto* parameter : std::span(probe.parameters, probe.parameter_count)) {
      host.parameters[parameter->name] = parameter->default_json;
    }
    std::set<std::string> asked;
    host.device = [&](const std::vector<Experiment>& batch, const tomograph_result_sink& sink) {
      for (const Experiment& experiment : batch) asked.insert(experiment.id);
      deliver(simulator_.execute(batch), sink);
      return tomograph_status{TOMOGRAPH_OK};
    };
    const auto start = std::chrono::steady_clock::now();
    const tomograph_status status = probe.run(host.abi());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    Measurement found = outcome(host, probe, status);
    found.probe_seconds[probe.id] = took.count();
    for (const auto& [key, record] : found.facts) found.experiments[key] = asked;
    return found;
  }

  static Measurement outcome(RecordingHost& host, const tomograph_probe& probe, tomograph_status status) {
    Measurement found;
    if (status == TOMOGRAPH_SKIPPED) leave_out(found, probe, "skipped: " + host.skip_reason);
    if (status != TOMOGRAPH_OK && status != TOMOGRAPH_SKIPPED) leave_out(found, probe, "failed: " + host.error);
    for (const auto& [key, reason] : host.inconclusive) found.unknown[key] = "inconclusive: " + reason;
    for (const auto& [key, reason] : host.absent) found.unknown[key] = std::string(absent) + reason;
    found.facts = std::move(host.records);
    return found;
  }

  void add(const Measurement& found) {
    result_.facts.insert(found.facts.begin(), found.facts.end());
    for (const auto& [key, reason] : found.unknown) result_.unknown[key] = reason;
    for (const auto& [key, asked] : found.experiments) result_.experiments[key] = asked;
    for (const auto& [probe, seconds] : found.probe_seconds) result_.probe_seconds[probe] = seconds;
  }

  sim::Simulator simulator_;
  ProbeRuns* runs_;
  Measurement result_;
};

}  // namespace

Measurement measure(std::span<const tomograph_probe* const> probes, const Subject& subject,
                    const std::set<std::string>& wanted, ProbeRuns& runs) {
  Run run(subject, runs);
  for (const auto* probe : select_and_order(probes, wanted, run.known())) run.probe(*probe);
  return run.take();
}

Measurement measure(std::span<const tomograph_probe* const> probes, const Subject& subject,
                    const std::set<std::string>& wanted) {
  ProbeRuns runs;
  return measure(probes, subject, wanted, runs);
}

}  // namespace tomograph::bench
