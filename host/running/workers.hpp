#ifndef TOMOGRAPH_HOST_RUNNING_WORKERS_HPP
#define TOMOGRAPH_HOST_RUNNING_WORKERS_HPP

#include <cstdint>
#include <deque>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loading/description.hpp"
#include "process/check_result.hpp"
#include "process/exchanges.hpp"
#include "process/messages.hpp"
#include "process/worker_process.hpp"
#include "topology/evidence.hpp"
#include "topology/topology.hpp"

namespace tomograph::host {

/// A device and the target to open. Borrows the descriptions.
struct ChosenDevice {
  const PluginDescription* plugin = nullptr;
  const DeviceDescription* device = nullptr;
  std::string target;
  Json parameters = Json::object();  ///< value of every declared parameter
  /// Paths of the plugins with executors for the device, by the id of the experiment.
  std::map<std::string, std::string> executors = {};

  /// As on the command line, e.g. "sim:h200".
  [[nodiscard]] std::string name() const { return device->id + ":" + target; }
};

/// Callbacks while a worker is busy. Each may be empty. Without `experiments`, nothing is recorded; without
/// `conditions`, they are not read. `output` receives the bytes of an exported file; once it returns a reason to want
/// no more, the process is ended.
struct WorkerEvents {
  std::function<void(const LogLine&)> log;
  std::function<void(const ProgressReport&)> progress;
  std::function<void(Exchanges)> experiments;
  std::function<void(const ConditionSample&)> conditions = {};
  std::function<std::optional<std::string>(std::string bytes)> output = {};
};

/// Limits the log lines of a plugin in one call. 200 lines hold any report of a sanitizer.
class LogAllowance {
 public:
  /// Whether one more line may be written.
  [[nodiscard]] bool take() { return ++asked_ <= lines; }
  /// How many lines were refused.
  [[nodiscard]] std::uint64_t refused() const { return asked_ > lines ? asked_ - lines : 0; }

 private:
  static constexpr std::uint64_t lines = 200;
  std::uint64_t asked_ = 0;
};

/// How one request to a worker ended.
struct CallEnding {
  enum class Kind {
    answered,
    crashed,
    timed_out,
    interrupted,
    again  ///< its process ended, perhaps by another's fault: the probe is to run again, with none beside it
  };
  Kind kind = Kind::answered;
  CallResult result;   ///< for `answered`
  std::string reason;  ///< otherwise
};

/// How the run of a probe or model ended.
struct ProbeEnding {
  std::string probe;
  CallEnding call;
};

/// Thrown where the user interrupted a request.
class Interrupted : public std::exception {};

/// The worker process in which plugins run. If a plugin breaks it, the next request gets a new one.
class Workers {
 public:
  /// The descriptor `interruption` becomes readable when the user wants the run to end; -1: never.
  Workers(std::filesystem::path program, WorkerEvents events, int interruption = -1);

  /// The targets that are available now. `device.target` is ignored.
  /// @throws std::runtime_error if the device cannot list them, Interrupted.
  [[nodiscard]] std::vector<FoundTarget> targets(const ChosenDevice& device);

  /// Opens the device in this process and in every later one. Returns the facts that the device publishes.
  /// @throws std::runtime_error with the reason if it cannot be opened, Interrupted.
  std::map<std::string, FactRecord> open(const ChosenDevice& device);

  /// Begins to run a probe or model, which must be of another plugin than those that run. In a new process, the device
  /// of the last `open` is opened first.
  /// @throws DeviceGone if the device cannot be opened, Interrupted.
  void begin(const PluginDescription& plugin, const ProbeDescription& probe, const Json& parameters,
             const KnownNeeds& needs);

  /// Waits until one of the probes that run has ended. If a process breaks in which several ran, or that was reading
  /// the conditions of the device, each of them is to run again; conditions are not read any more then.
  [[nodiscard]] ProbeEnding next_ending();

  /// Runs one probe or model from begin to end. None other may run.
  [[nodiscard]] CallEnding run(const PluginDescription& plugin, const ProbeDescription& probe, const Json& parameters,
                               const KnownNeeds& needs);

  /// Lets an exporter write a file from topologies. Its bytes go to the event `output`.
  [[nodiscard]] CallEnding write(const PluginDescription& plugin, const ExporterDescription& exporter,
                                 const Json& parameters, const std::vector<ExportDocument>& documents);

  /// Performs a check of a library (see worker_main), in the process of the check before if that is still there.
  [[nodiscard]] CheckResult check(std::string_view name, const std::filesystem::path& library, double time_limit);

  /// Lets the process begin to close its device and exit, for a dismiss() later.
  void release();
  /// Lets the process close its device and exit.
  void dismiss();

  /// The descriptor that becomes readable when the user wants the run to end; -1: never.
  [[nodiscard]] int interruption() const { return interruption_; }

 private:
  /// What was asked of the process: to run a probe or model, or anything else.
  struct Asked {
    std::string plugin;  ///< marks what the process writes in the log
    std::string probe;   ///< empty: something else
    double time_limit;
    WorkerProcess::TimeLimit limit;  ///< since it was asked, or those that it may have waited for have ended
  };

  CallEnding call(const std::string& plugin, const Request& request, double time_limit);
  /// Sends a request, to a new process if there is none.
  void ask(const std::string& plugin, const std::string& probe, const Request& request, double time_limit);
  /// Waits until something that was asked has ended, perhaps all of it, and adds to `endings_`.
  void await_ending();
  /// What the process sends before one of its answers, which is returned, goes to the callbacks. Otherwise the process
  /// is lost.
  CallEnding next_answer();
  /// Ends what was asked and has this answer.
  void settle(CallEnding answer);
  /// Ends all that was asked, since the process is lost.
  void settle_all(const CallEnding& ending);
  [[nodiscard]] std::string joined(std::string Asked::*member, const char* separator) const;
  /// The plugins whose code may run.
  [[nodiscard]] std::string callees() const;
  /// Says what the probe did to its process, and ends the process if no other probe can run in it.
  void check_process(const Asked& asked, const CallResult& result);
  void log_left_out_lines(const std::string& plugin, std::uint64_t lines) const;
  void log(const LogLine& line);
  /// Hands what a worker tells while it is busy to the callbacks.
  void pass_on(const WorkerMessage& message);
  /// Takes bytes that the process sent. Returns why it must end, if it must. @throws std::invalid_argument
  [[nodiscard]] std::optional<std::string> take_bytes(std::string bytes) const;
  CallEnding lost(CallEnding::Kind kind, const std::string& reason);

  std::filesystem::path program_;
  WorkerEvents events_;
  int interruption_;
  std::unique_ptr<WorkerProcess> process_;
  std::vector<Asked> asked_;  ///< and has no answer yet; more than one only of probes
  std::deque<ProbeEnding> endings_;
  std::map<std::string, LogAllowance> allowances_;  ///< by plugin
  std::string called_;                              ///< the plugin that was called last
  bool listens_ = true;                             ///< the process has taken the last request
  const ChosenDevice* device_ = nullptr;
  bool is_open_ = false;
  bool reads_conditions_ = true;  ///< if `events_.conditions` wants them
  bool is_reading_ = false;       ///< whether the process has begun to read and not told what
};

/// A device that was open cannot be opened again.
class DeviceGone : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tomograph::host

#endif
