#include "conformance/plugin_validator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "conformance/exporter_trial.hpp"
#include "loading/device_facts.hpp"
#include "planning/plan.hpp"
#include "running/run.hpp"
#include "tomograph/documents/input_error.hpp"
#include "tomograph/documents/nearest_name.hpp"

namespace tomograph::host {
namespace {

/// Seconds that a check of a library may take. Loading a library takes milliseconds; a busy machine may need seconds.
constexpr double time_limit = 30;

/// Checks of a plugin together with other plugins, and of its probes while they run.
enum class JointCheck { accepted, needs, devices, writes, runs, settles, publishes, behaves };
constexpr std::array<CheckName, 8> among_others{
    {{"accepted", "It can be loaded together with the other plugins: no id is taken"},
     {"needs", "Every fact that it needs has one provider and a known name, and no probes need each other's facts"},
     {"devices", "Each of its devices lists its targets; finding none is no error"},
     {"writes", "Each of its exporters writes a small topology, or refuses it with a reason"},
     {"runs", "Each of its probes succeeds on a simulated GPU, or gives a reason to be skipped"},
     {"settles", "Each declared fact is published, inconclusive or absent"},
     {"publishes", "Every published fact keeps the rules: type, unit, confidence, interval, evidence"},
     {"behaves", "Running does not change the process and writes only to the host's log"}}};

/// The default values of parameters.
Json defaults(const std::vector<ParameterDeclaration>& declared) {
  Json values = Json::object();
  for (const ParameterDeclaration& parameter : declared) values[parameter.name] = parameter.default_value;
  return values;
}

/// The device called `name`, e.g. "sim:small", if a plugin has it.
std::optional<ChosenDevice> find_device(const Catalogue& catalogue, const std::string& name) {
  const std::size_t colon = std::min(name.find(':'), name.size());
  for (const PluginDescription& plugin : catalogue.plugins) {
    for (const DeviceDescription& device : plugin.devices) {
      if (device.id != name.substr(0, colon)) continue;
      return ChosenDevice{&plugin, &device, name.substr(std::min(colon + 1, name.size())), defaults(device.parameters),
                          executors_for(device.id, catalogue.plugins)};
    }
  }
  return std::nullopt;
}

/// The key without its last word: "device.".
std::string prefix_of(const std::string& key) { return key.substr(0, key.rfind('.') + 1); }

/// The name that `key` was most likely meant to be. Only last words are compared, since what all keys of a device have
/// in common would make far-fetched ones seem near.
std::optional<std::string> nearest_in_prefix(const std::string& key, const std::set<std::string>& names) {
  const std::string prefix = prefix_of(key);
  std::vector<std::string> words;
  for (const std::string& name : names) {
    if (prefix_of(name) == prefix) words.push_back(name.substr(prefix.size()));
  }
  const auto nearest = nearest_name(key.substr(prefix.size()), words);
  return nearest ? std::optional(prefix + *nearest) : std::nullopt;
}

std::string listed(const std::set<std::string>& parts) { return fmt::format("{}", fmt::join(parts, "; ")); }

/// Runs the probes of one plugin, and what they need, on a simulated GPU.
class Trial {
 public:
  Trial(const std::filesystem::path& program, const Catalogue& catalogue, const PluginDescription& plugin,
        Topology& known)
      : catalogue_(&catalogue),
        plugin_(&plugin),
        known_(&known),
        workers_(program, {[this](const LogLine& line) { listen(line); }, {}, {}}) {}

  /// Whether the needs of all probes can be met; `needs` says which cannot.
  bool plan_all() {
    for (const std::string& method : methods()) {
      try {
        for (const LeftOut& left : plan(method).left_out) {
          const std::string text = left.probe->id + " " + left.reason;
          if (left.cause == LeftOut::Cause::faulty) {
            faults_.insert(text);
          } else {
            warnings_.insert(text + " (it may be given with --given)");
          }
        }
      } catch (const InputError& conflict) {
        faults_.insert(conflict.what());
      }
    }
    return faults_.empty();
  }

  /// What `plan_all` found, and needs that look misspelt. The simulated GPU must be open, since devices do not declare
  /// what they publish.
  [[nodiscard]] CheckResult needs() const {
    if (!faults_.empty()) return {CheckStatus::failed, listed(faults_)};
    std::set<std::string> warnings = warnings_;
    warnings.merge(misspelt_needs());
    return warnings.empty() ? CheckResult{} : CheckResult{CheckStatus::warning, listed(warnings)};
  }

  CheckResult devices() {
    if (plugin_->devices.empty()) return {CheckStatus::skipped, "it has no devices"};
    for (const DeviceDescription& device : plugin_->devices) {
      try {
        static_cast<void>(workers_.targets({plugin_, &device, {}, defaults(device.parameters), {}}));
      } catch (const std::runtime_error& error) {
        return {CheckStatus::failed, device.id + ": " + error.what()};
      }
    }
    return {};
  }

  /// Runs all probes; the results below are valid afterwards. Returns the reason if they cannot run.
  std::string run(const std::optional<ChosenDevice>& device) {
    if (plugin_->probes.empty()) return "it has no probes";
    if (!device) return "the simulated GPU is not there";
    try {
      for (auto& [key, record] : workers_.open(*device)) known_->facts.insert_or_assign(key, record);
    } catch (const std::runtime_error& error) {
      return device->name() + " cannot be opened: " + error.what();
    }
    run_probes();
    workers_.dismiss();
    return {};
  }

  [[nodiscard]] CheckResult runs() const {
    if (!failures_.empty()) return {CheckStatus::failed, listed(failures_)};
    if (endings_.empty()) return {CheckStatus::skipped, "none of its probes can run"};
    const bool all_skipped =
        std::ranges::all_of(endings_, [](const auto& ending) { return ending.second == OutcomeStatus::skipped; });
    if (all_skipped) return {CheckStatus::passed, "all are skipped: " + listed(skips_)};
    return {};
  }
  [[nodiscard]] CheckResult settles() const { return verdict(unsettled_); }
  [[nodiscard]] CheckResult publishes() const { return verdict(refusals_); }
  [[nodiscard]] CheckResult behaves() const { return verdict(misbehaviour_); }

 private:
  void run_probes() {
    RunEvents events;
    events.parameters = [](const ProbeDescription& probe) { return defaults(probe.parameters); };
    events.end = [this](const std::string& probe, const ProbeRun& ending) { note(probe, ending); };
    events.unsettled = [this](const std::string& probe, const std::string& fact) {
      if (is_own(probe)) unsettled_.insert(probe + " left " + fact);
    };
    Evidence evidence;
    for (const std::string& method : methods()) {
      const Plan planned = plan(method);
      // Each method must measure its facts itself.
      for (const PlannedProbe& probe : planned.probes) {
        for (const FactDeclaration& fact : probe.probe->provides) known_->facts.erase(fact.key);
      }
      run_plan(planned, 1, workers_, events, *known_, evidence);
    }
  }

  /// Facts that a device may publish, but that no known device does. Those with a name that is not near to a known one
  /// may belong to a vendor's device.
  [[nodiscard]] std::set<std::string> misspelt_needs() const {
    const std::set<std::string> known = known_keys();
    std::set<std::string> found;
    for (const ProbeDescription& probe : plugin_->probes) {
      for (const NeedDeclaration& need : probe.needs) {
        if (!is_device_fact(need.key) || known.contains(need.key)) continue;
        const auto nearest = nearest_in_prefix(need.key, known);
        if (!nearest) continue;
        found.insert(fmt::format("{} needs {}, which no known device publishes; did you mean '{}'?", probe.id, need.key,
                                 *nearest));
      }
    }
    return found;
  }

  /// Facts that all devices know, those that the simulated GPU published, and those of all probes.
  [[nodiscard]] std::set<std::string> known_keys() const {
    std::set<std::string> keys;
    for (const DeviceFact& fact : device_facts()) keys.emplace(fact.key);
    for (const auto& [key, record] : known_->facts) keys.insert(key);
    for (const PluginDescription& plugin : catalogue_->plugins) {
      for (const ProbeDescription& probe : plugin.probes) {
        for (const FactDeclaration& fact : probe.provides) keys.insert(fact.key);
      }
    }
    return keys;
  }

  static CheckResult verdict(const std::set<std::string>& faults) {
    return faults.empty() ? CheckResult{} : CheckResult{CheckStatus::failed, listed(faults)};
  }

  /// Those of its probes. Models of kernels are no part of a run.
  [[nodiscard]] std::set<std::string> methods() const {
    std::set<std::string> found;
    for (const ProbeDescription& probe : plugin_->probes) {
      if (!probe.predicts_kernels()) found.insert(probe.method);
    }
    return found;
  }

  [[nodiscard]] bool is_own(const std::string& probe) const {
    return std::ranges::find(plugin_->probes, probe, &ProbeDescription::id) != plugin_->probes.end();
  }

  [[nodiscard]] Plan plan(const std::string& method) const {
    PlanRequest request;
    request.method = method;
    for (const ProbeDescription& probe : plugin_->probes) {
      if (probe.method == method && !probe.predicts_kernels()) request.only.push_back(probe.id);
    }
    for (const auto& [key, record] : known_->facts) request.known.insert(key);
    return make_plan(catalogue_->plugins, request);
  }

  void listen(const LogLine& line) {
    if (line.plugin != plugin_->id || line.level < LogLevel::warning) return;
    switch (line.subject) {
      case LogSubject::message: return;
      case LogSubject::refused_fact: refusals_.insert(line.text); return;
      case LogSubject::own_output:
      case LogSubject::changed_process:
      case LogSubject::broken_rule:
      case LogSubject::omitted_lines: misbehaviour_.insert(line.text); return;
    }
  }

  void note(const std::string& probe, const ProbeRun& ending) {
    using Status = OutcomeStatus;
    if (!is_own(probe)) return;
    endings_[probe] = ending.status;
    if (ending.status == Status::skipped) skips_.insert(ending.reason);
    for (const Status bad : {Status::failed, Status::crashed, Status::timed_out}) {
      if (ending.status == bad) failures_.insert(fmt::format("{} {}: {}", probe, to_string(bad), ending.reason));
    }
  }

  const Catalogue* catalogue_;
  const PluginDescription* plugin_;
  Topology* known_;
  Workers workers_;
  std::set<std::string> faults_;                  ///< of needs
  std::set<std::string> warnings_;                ///< about needs
  std::map<std::string, OutcomeStatus> endings_;  ///< by probe
  std::set<std::string> failures_;
  std::set<std::string> skips_;
  std::set<std::string> unsettled_;
  std::set<std::string> refusals_;
  std::set<std::string> misbehaviour_;
};

/// Checks share a process as long as none breaks it and none needs a new one.
std::vector<NamedResult> results_of_library_checks(const std::filesystem::path& program,
                                                   const std::filesystem::path& library) {
  Workers workers(program, {});
  std::vector<NamedResult> results;
  for (const LibraryCheck& check : library_checks()) {
    const auto endless = std::ranges::find(results, CheckStatus::timed_out,
                                           [](const NamedResult& named) { return named.result.status; });
    if (endless != results.end()) {
      results.push_back({check.name, {CheckStatus::skipped, "\"" + std::string(endless->check) + "\" did not end"}});
      continue;
    }
    if (check.watches_loading) workers.dismiss();
    results.push_back({check.name, workers.check(check.name, library, time_limit)});
  }
  workers.dismiss();
  return results;
}

const PluginDescription* find_plugin(const Catalogue& catalogue, const std::filesystem::path& library) {
  const auto found = std::ranges::find(catalogue.plugins, library, &PluginDescription::path);
  return found == catalogue.plugins.end() ? nullptr : &*found;
}

std::string refusal_of(const Catalogue& catalogue, const std::filesystem::path& library) {
  const auto found = std::ranges::find(catalogue.refused, library, &Refusal::path);
  return found == catalogue.refused.end() ? "an equal plugin is there already" : found->reason;
}

}  // namespace

bool PluginVerdict::is_valid() const {
  return std::ranges::none_of(results, [](const NamedResult& named) { return is_bad(named.result.status); });
}

std::vector<CheckName> plugin_checks() {
  std::vector<CheckName> all;
  for (const LibraryCheck& check : library_checks()) all.push_back({check.name, check.description});
  all.insert(all.end(), among_others.begin(), among_others.end());
  return all;
}

PluginVerdict PluginValidator::validate(const std::filesystem::path& library) {
  PluginVerdict verdict{std::filesystem::weakly_canonical(library), {}};
  verdict.results = results_of_library_checks(program_, verdict.file);
  const Catalogue catalogue = find_(verdict.file);
  const PluginDescription* plugin = find_plugin(catalogue, verdict.file);
  const auto add = [&](JointCheck which, CheckResult result) {
    verdict.results.push_back({among_others.at(static_cast<std::size_t>(which)).name, std::move(result)});
  };
  if (plugin == nullptr) {
    const CheckStatus status = verdict.is_valid() ? CheckStatus::failed : CheckStatus::skipped;
    add(JointCheck::accepted, {status, refusal_of(catalogue, verdict.file)});
    for (auto which = JointCheck::needs; which <= JointCheck::behaves;
         which = JointCheck(static_cast<int>(which) + 1)) {
      add(which, {CheckStatus::skipped, "it is refused"});
    }
    return verdict;
  }
  add(JointCheck::accepted, {});
  Trial trial(program_, catalogue, *plugin, known_);
  const bool is_plannable = trial.plan_all();
  const CheckResult devices = trial.devices();
  const std::string obstacle = is_plannable ? trial.run(find_device(catalogue, device_)) : "its needs cannot be met";
  add(JointCheck::needs, trial.needs());
  add(JointCheck::devices, devices);
  add(JointCheck::writes, try_exporters(program_, *plugin));
  const auto add_result = [&](JointCheck which, CheckResult result) {
    add(which, obstacle.empty() ? std::move(result) : CheckResult{CheckStatus::skipped, obstacle});
  };
  add_result(JointCheck::runs, trial.runs());
  add_result(JointCheck::settles, trial.settles());
  add_result(JointCheck::publishes, trial.publishes());
  add_result(JointCheck::behaves, trial.behaves());
  return verdict;
}

}  // namespace tomograph::host
