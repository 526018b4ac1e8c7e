#ifndef TOMOGRAPH_HOST_RUNNING_WORKERS_HPP
#define TOMOGRAPH_HOST_RUNNING_WORKERS_HPP

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
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

/// A device with the target that is to be opened on it. Borrows its descriptions.
struct ChosenDevice {
  const PluginDescription* plugin = nullptr;
  const DeviceDescription* device = nullptr;
  std::string target;
  Json parameters = Json::object();  ///< value of every declared parameter
  /// Files of the plugins that bring executors for the device, by the id of the experiment that each executes.
  std::map<std::string, std::string> executors = {};

  /// As on the command line, e.g. "sim:h200".
  [[nodiscard]] std::string name() const { return device->id + ":" + target; }
};

/// A target that a device found.
struct FoundTarget {
  std::string name;
  std::string description;
};

/// What is told while a worker is busy. Empty functions are not called; without `experiments` nothing is recorded.
struct WorkerEvents {
  std::function<void(LogLevel, const std::string& plugin, const std::string& text)> log;
  std::function<void(double fraction)> progress;
  std::function<void(Exchanges)> experiments;
};

/// How much a plugin may write into the log in one call: enough for a report of a sanitizer, too little for a flood.
class LogAllowance {
 public:
  /// Whether one more line may be written.
  [[nodiscard]] bool take() { return ++asked_ <= lines; }
  /// How many lines were asked for in vain.
  [[nodiscard]] std::uint64_t refused() const { return asked_ > lines ? asked_ - lines : 0; }

 private:
  static constexpr std::uint64_t lines = 200;
  std::uint64_t asked_ = 0;
};

/// How one request to a worker ended.
struct CallEnding {
  enum class Kind { answered, crashed, timed_out, interrupted };
  Kind kind = Kind::answered;
  Json answer;         ///< for `answered`: the message "ended"
  std::string reason;  ///< otherwise
};

/// Thrown where the user interrupted a request.
class Interrupted : public std::exception {};

/// The process in which plugins run, and its successors: whatever a plugin does to its process, the next request
/// finds a working one.
class Workers {
 public:
  /// `interruption` becomes readable when the user wants the run to end; -1: never.
  Workers(std::filesystem::path program, WorkerEvents events, int interruption = -1);

  /// The targets that are there now. `device.target` is not looked at.
  /// @throws std::runtime_error if the device cannot say, Interrupted.
  [[nodiscard]] std::vector<FoundTarget> targets(const ChosenDevice& device);

  /// Opens the device, now and in every successor. Returns the facts that it publishes.
  /// @throws std::runtime_error that says why it cannot be opened, Interrupted.
  std::map<std::string, FactRecord> open(const ChosenDevice& device);

  /// Runs a probe or model. Where the process is a new one, the device of the last `open` is opened in it first.
  /// @throws DeviceGone if that fails.
  [[nodiscard]] CallEnding run(const PluginDescription& plugin, const ProbeDescription& probe, const Json& parameters,
                               const Json& facts);

  /// Lets a process of its own make a check of a library (see worker_main).
  [[nodiscard]] CheckResult check(std::string_view name, const std::filesystem::path& library, double time_limit);

  /// Lets the process close its device and end.
  void dismiss();

 private:
  /// `plugin` marks in the log what its process writes.
  CallEnding call(const std::string& plugin, const Json& request, double time_limit);
  CallEnding answer_to(const Json& request, double time_limit);
  void handle(const Json& message);
  void log(LogLevel level, const std::string& plugin, const std::string& text);
  CallEnding lost(CallEnding::Kind kind, const std::string& reason);

  std::filesystem::path program_;
  WorkerEvents events_;
  int interruption_;
  std::unique_ptr<WorkerProcess> process_;
  std::string called_;  ///< plugin whose code runs
  LogAllowance allowance_;
  const ChosenDevice* device_ = nullptr;
  bool is_open_ = false;
};

/// The device that was open cannot be opened again.
class DeviceGone : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tomograph::host

#endif
