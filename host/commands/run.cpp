#include "commands/run.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <set>

#include "commands/device_list.hpp"
#include "commands/device_name.hpp"
#include "commands/run_ending.hpp"
#include "commands/run_options.hpp"
#include "commands/run_provenance.hpp"
#include "commands/run_several.hpp"
#include "documents/writable_file.hpp"
#include "loading/file_hash.hpp"
#include "process/interruption.hpp"
#include "reporting/overview.hpp"
#include "reporting/progress.hpp"
#include "reporting/style.hpp"
#include "reporting/summary.hpp"
#include "reporting/terminal.hpp"
#include "running/condition_log.hpp"
#include "running/recorder.hpp"
#include "running/run.hpp"
#include "tomograph/documents/atomic_file.hpp"
#include "tomograph/documents/input_error.hpp"
#include "topology/merge.hpp"
#include "topology/topology_file.hpp"
#include "version.hpp"

namespace tomograph::host {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int something_failed = 1;
constexpr int interrupted_by_user = 130;  // 128 + SIGINT, as shells have it

double seconds_since(Clock::time_point begun) { return std::chrono::duration<double>(Clock::now() - begun).count(); }

/// Runs `tomograph run` from options to files.
class RunCommand {
 public:
  RunCommand(const RunOptions& options, Setup setup)
      : options_(options),
        log_(terminal_, options.verbose ? LogLevel::info : LogLevel::warning),
        recorder_([this](const std::string& reason) { log_.write(LogLevel::error, reason); }),
        setup_(std::move(setup)) {}

  int execute() {
    log_refusals(setup_.catalogue, log_);
    Workers workers(this_program(), worker_events(), interruption_.descriptor());
    try {
      if (has_placeholder(options_.output)) {
        open(workers);
        name_files();
        prepare();
        open_as_before(workers);
      } else {
        prepare();
        open(workers);
      }
      require_same_device(earlier_, device_json(), options_.output);
      take_device_facts();
    } catch (const Interrupted&) {
      log_.write(LogLevel::error, "interrupted before anything was measured, nothing is written");
      return interrupted_by_user;
    }
    const bool complete = measure(workers);
    // The device closes while the results are written. If it never does, nothing is lost.
    workers.release();
    const bool is_written = write_files();
    if (is_written) report();
    workers.dismiss();
    if (!is_written) return something_failed;
    const int code = exit_code();
    return complete ? code : interrupted_by_user;
  }

 private:
  [[nodiscard]] fs::path evidence_file() const {
    return options_.evidence.empty() ? evidence_beside(options_.output) : options_.evidence;
  }

  /// Reads what is known and plans what to measure. Finds every mistake of the user's that is not the device's.
  void prepare() {
    read_earlier();
    PlanRequest request = plan_request(setup_, options_.selection, topology_);
    request.settled = settled_;
    check_required(options_.require, setup_.catalogue.plugins, topology_);
    plan_ = make_plan(setup_.catalogue.plugins, request);
    plan_has_faults_ = log_faults(plan_, log_);
    require_writable_files();
  }

  /// Puts the GPU's UUID, or the name of a device that has none, in the place that the files' names leave for it.
  void name_files() {
    const auto uuid = device_facts_.find("device.uuid");
    const bool has_uuid = uuid != device_facts_.end() && uuid->second.value.is_string();
    const std::string asked = asked_device();
    const std::string name = as_file_part(asked.empty() ? device_.name() : asked);
    const std::string gpu = has_uuid ? uuid->second.value.get<std::string>() : name;
    for (fs::path* file : {&options_.output, &options_.evidence, &options_.record}) *file = named_after(*file, gpu);
    options_.resume = options_.resume && fs::exists(options_.output);
  }

  /// Reads earlier topologies with their evidence, and for `--resume` which outcomes to keep.
  void read_earlier() {
    if (options_.resume) {
      if (!fs::exists(options_.output)) {
        throw InputError(
            Problem{options_.output.string(), 0, 0, {}, "there is nothing to resume, the file does not exist"});
      }
      topology_ = read_earlier_topology(setup_, options_.output);
      if (fs::exists(evidence_file())) evidence_ = read_evidence(evidence_file());
      settled_ = settled_questions(topology_);
      earlier_ = std::exchange(topology_.provenance, Json::object());
    }
    given_ = given_files(setup_, options_.selection);
    add_given(topology_, read_given(setup_, given_));
    for (const fs::path& file : given_) {
      if (fs::exists(evidence_beside(file))) evidence_.merge(read_evidence(evidence_beside(file)));
    }
  }

  void require_writable_files() const {
    const std::vector<NamedFile> files{
        {"--output", options_.output}, {"--evidence", evidence_file()}, {"--record", options_.record}};
    for (const NamedFile& file : files) {
      if (!file.path.empty()) require_writable(file.path);
    }
    require_separate(files, read_files());
  }

  /// What the run reads. Left out are earlier topologies that it completes.
  [[nodiscard]] std::vector<NamedFile> read_files() const {
    std::vector<NamedFile> files{{"--device", file_of_device(asked_device())}};
    for (const fs::path& file : setup_.configuration.files) files.push_back({"--config", file});
    for (const fs::path& file : given_) {
      if (is_same_file(file, options_.output)) continue;
      files.push_back({"--given", file});
      files.push_back({"--given", evidence_beside(file)});
    }
    return files;
  }

  WorkerEvents worker_events() {
    WorkerEvents events;
    events.log = [this](const LogLine& line) { log_.write(line); };
    events.progress = [this](const ProgressReport& report) {
      if (progress_) progress_->update(report.probe, report.fraction);
    };
    events.conditions = [this](const ConditionSample& sample) { conditions_.add(sample); };
    if (!options_.record.empty()) {
      events.experiments = [this](Exchanges exchanges) { recorder_.add(std::move(exchanges)); };
    }
    return events;
  }

  /// The device asked for on the command line, by the earlier run, or by the configuration.
  [[nodiscard]] std::string asked_device() const {
    const std::string before = earlier_.value("/device/name"_json_pointer, "");
    const bool is_other = parsed_device_name(options_.device).plain() != before;
    if (!before.empty() && !options_.device.empty() && is_other) {
      throw InputError(options_.output.string() + " was measured on " + before + ", it cannot be resumed on " +
                       options_.device);
    }
    if (!options_.device.empty()) return options_.device;
    return before.empty() ? setup_.configuration.device.value_or("") : before;
  }

  void open(Workers& workers) {
    const std::string name = asked_device();
    device_ = name.empty() ? default_device(setup_, workers, log_) : find_device(setup_, name);
    override_device_parameters(setup_.configuration, *device_.device, options_.device_parameters, name);
    keep_earlier_parameters();
    device_.parameters = Json(device_parameters(setup_.configuration, *device_.device));
    const fs::path file = file_of_device(device_.name());
    if (file.extension() == ".toml") device_sha256_ = sha256_of_file(file);
    const auto begun = Clock::now();
    device_facts_ = open_device(device_, workers);
    device_seconds_ = seconds_since(begun);
  }

  /// A resumed run has the parameters of the earlier one, unless the user states others.
  void keep_earlier_parameters() {
    ParameterValues& stated = setup_.configuration.devices[device_.device->id];
    const Json earlier = earlier_.value("/device/parameters"_json_pointer, Json::object());
    for (const ParameterDeclaration& parameter : device_.device->parameters) {
      if (earlier.contains(parameter.name)) stated.try_emplace(parameter.name, earlier.at(parameter.name));
    }
  }

  /// Opens the device once more if it was opened before the earlier run told its parameters.
  void open_as_before(Workers& workers) {
    keep_earlier_parameters();
    if (Json(device_parameters(setup_.configuration, *device_.device)) != device_.parameters) open(workers);
  }

  [[nodiscard]] Json device_json() const {
    Json device{{"name", device_.name()}, {"parameters", device_.parameters}};
    if (!device_sha256_.empty()) device["sha256"] = device_sha256_;
    return device;
  }

  void warn_of_another_gpu() {
    const auto given = topology_.facts.find("device.name");
    const auto opened = device_facts_.find("device.name");
    if (given == topology_.facts.end() || opened == device_facts_.end()) return;
    if (given->second.value == opened->second.value) return;
    log_.write(LogLevel::warning, fmt::format("the facts of --given are of another GPU, {}; this one is {}",
                                              given->second.value.dump(), opened->second.value.dump()));
  }

  void take_device_facts() {
    warn_of_another_gpu();
    for (const auto& [key, record] : device_facts_) {
      topology_.facts.erase(key);
      add_fact(topology_, key, record);
      topology_.outcomes.erase(key);  // outcomes are of probes; no probe measured this
    }
    if (!options_.record.empty()) recorder_.begin(options_.record, recording_header(device_, device_facts_));
  }

  bool measure(Workers& workers) {
    std::vector<Progress::Planned> planned;
    for (const PlannedProbe& probe : plan_.probes) planned.push_back({probe.probe->id, probe.probe->expected_seconds});
    progress_.emplace(terminal_, planned);
    RunEvents events;
    events.parameters = [this](const ProbeDescription& probe) {
      return Json(probe_parameters(setup_.configuration, probe));
    };
    events.begin = [this](const std::string& probe) {
      progress_->begin(probe);
      conditions_.begin(probe);
    };
    events.waits = [this](const std::string& probe) { progress_->wait(probe); };
    events.without_turns = [this](const std::string& reason) {
      log_.write(LogLevel::warning, "links are measured although other runs may use them, since " + reason);
    };
    events.end = [this](const std::string& probe, const ProbeRun& run) {
      conditions_.end(probe, run.disturbances);
      progress_->end(probe, run);
    };
    const bool complete = run_plan(plan_, options_.jobs, workers, events, topology_, evidence_);
    progress_.reset();
    return complete;
  }

  [[nodiscard]] Json provenance() const {
    Json provenance{{"tool", {{"name", "tomograph"}, {"version", tool_version}, {"compiler", tool_compiler}}},
                    {"machine", machine()},
                    {"device", device_json()},
                    {"plugins", used_plugins(setup_.catalogue, device_, plan_)},
                    {"options", options_json(options_, setup_.configuration, given_)},
                    {"started", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(started_))},
                    {"seconds", seconds_since(begun_)},
                    {"device_seconds", device_seconds_}};
    if (!configuration_files_.empty()) provenance["configuration"] = configuration_files_;
    if (*tool_revision != '\0') provenance["tool"]["revision"] = tool_revision;
    if (earlier_.contains("started")) provenance["resumed_from"] = earlier_.at("started");
    return provenance;
  }

  /// Writes evidence first, so that a topology never refers to missing curves.
  bool write_files() {
    topology_.provenance = provenance();
    conditions_.describe(topology_, evidence_);
    Json kept = kept_findings(earlier_, plan_);
    for (Json& finding : kept) topology_.provenance["findings"].push_back(std::move(finding));
    const std::string evidence = to_json_text(evidence_);
    topology_.provenance["evidence_sha256"] = sha256_of_text(evidence);
    try {
      write_atomically(evidence_file(), evidence);
      write_atomically(options_.output, to_toml(topology_));
    } catch (const std::exception& error) {
      log_.write(LogLevel::error, error.what());
      return false;
    }
    recorder_.finish();
    return true;
  }

  void report() const {
    if (options_.output == standard_output) return;
    if (options_.json) {
      print_text(stdout, to_json(topology_).dump(2) + "\n");
      return;
    }
    if (options_.verbose) print_text(stdout, run_summary(topology_, all_probes(plan_)) + "\n");
    const Style style(use_color(ColorMode::automatic, stdout));
    print_text(stdout,
               fmt::format("{}\n{}", overview(topology_, use_color(ColorMode::automatic, stdout)), files_text()));
    print_text(stdout, fmt::format("\n{}\n", style.bold("Next")));
    for (const std::string& command : next_commands(topology_, options_.output))
      print_text(stdout, fmt::format("  {}\n", command));
  }

  /// How the probes ended and which files were written.
  [[nodiscard]] std::string files_text() const {
    std::string text = fmt::format("{} in {:.1f} s\nwritten: {}, {}", probe_counts(topology_, all_probes(plan_)),
                                   seconds_since(begun_), options_.output.string(), evidence_file().string());
    if (!options_.record.empty() && recorder_.is_complete()) text += ", " + options_.record.string();
    return text + "\n";
  }

  /// Names what is to blame for an exit code of 1. Depends on all outcomes, including those that `--resume` kept.
  [[nodiscard]] int exit_code() {
    const auto failures = failed_probes(topology_);
    for (const std::string& failure : failures) log_.write(LogLevel::error, failure);
    const auto missing = missing_facts(topology_, options_.require);
    for (const std::string& fact : missing) log_.write(LogLevel::error, "required, but not measured: " + fact);
    const bool is_complete = recorder_.is_complete() && !plan_has_faults_ && failures.empty() && missing.empty();
    return is_complete ? 0 : something_failed;
  }

  RunOptions options_;
  // Before anything that may start a thread.
  Interruption interruption_;
  Terminal terminal_{stderr};
  Log log_;
  Recorder recorder_;
  Setup setup_;
  Json configuration_files_ = files_with_hashes(setup_.configuration.files);  ///< as they were read
  Plan plan_;
  bool plan_has_faults_ = false;
  Topology topology_;
  Evidence evidence_;
  Json earlier_ = Json::object();  ///< provenance of the run that is resumed
  std::set<std::string> settled_;
  std::vector<fs::path> given_;  ///< paths of earlier topologies
  ChosenDevice device_;
  std::string device_sha256_;                       ///< of its description, if it has one
  std::map<std::string, FactRecord> device_facts_;  ///< what it published when it was opened
  ConditionLog conditions_;
  std::optional<Progress> progress_;
  Clock::time_point begun_ = Clock::now();
  std::time_t started_ = std::time(nullptr);
  double device_seconds_ = 0;  ///< to open the device
};

int run(const RunOptions& options) {
  Setup setup = load_setup(options.setup);
  const std::string device = options.device.empty() ? setup.configuration.device.value_or("") : options.device;
  if (names_several(device)) return run_several(options, setup, device);
  return RunCommand(options, std::move(setup)).execute();
}

}  // namespace

void add_run_command(CLI::App& app, std::function<int()>& selected) {
  auto* command = app.add_subcommand("run", "Measure a device and write its topology");
  const auto options = std::make_shared<RunOptions>();
  add_run_options(*command, *options);
  command->callback([options, &selected] { selected = [options] { return run(*options); }; });
}

}  // namespace tomograph::host
