#ifndef TOMOGRAPH_HOST_RUNNING_HOST_INTERFACE_HPP
#define TOMOGRAPH_HOST_RUNNING_HOST_INTERFACE_HPP

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "process/channel.hpp"
#include "process/messages.hpp"
#include "running/call_queue.hpp"
#include "running/caller.hpp"
#include "running/condition_reader.hpp"
#include "running/device_turns.hpp"
#include "running/undisturbed.hpp"
#include "tomograph/abi/neighbours.h"
#include "tomograph/abi/plugin.h"
#include "tomograph/experiment.hpp"
#include "topology/topology.hpp"

namespace tomograph::host {

class Executors;
class HostInterface;

/// What a device says about other programs that use it (abi/neighbours.h).
struct Neighbours {
  std::uint32_t (*in_use)(void* device) = nullptr;
  void* device = nullptr;
  std::map<std::uint64_t, tomograph_disturbance> seen;  ///< by position in the batch that the device executes
};

/// The device that is open in this process. It and its executors live in one thread, which makes `calls`; nothing but
/// `calls` and `turns` may be used on another thread.
struct OpenDevice {
  CallQueue* calls = nullptr;
  DeviceTurns* turns = nullptr;  ///< none for a device whose answers depend on the experiments alone
  const tomograph_device* descriptor = nullptr;
  void* session = nullptr;
  HostInterface* interface = nullptr;  ///< with which it was opened
  Executors* executors = nullptr;      ///< of experiments that the device does not know
  bool record = false;                 ///< whether experiments and answers are sent to the host
  bool lost = false;
  TimeBeside time_beside = {};  ///< that is left
};

/// Implements tomograph_host for one caller. Checks the rules of abi/host.h and collects what the caller publishes
/// until the call ends.
class HostInterface {
 public:
  /// Without a device (null), experiments are unsupported. `channel` and `device` must outlive the interface.
  HostInterface(Channel& channel, Caller caller, OpenDevice* device);
  HostInterface(const HostInterface&) = delete;
  HostInterface& operator=(const HostInterface&) = delete;

  /// The table for the plugin, valid as long as the interface.
  [[nodiscard]] const tomograph_host* table() const { return &table_; }
  /// The last message that the caller passed to `error`, if any.
  [[nodiscard]] const std::string& error() const { return error_; }
  /// Starts another call of a device or executor: clears the error and the count of log lines.
  void begin_call() {
    error_.clear();
    lines_ = 0;
    neighbours_.seen.clear();
  }
  /// What the caller, a device, says about other programs.
  [[nodiscard]] const Neighbours& neighbours() const { return neighbours_; }
  /// How the conditions of the caller, a device, are read; `read` is null if it does not tell them.
  [[nodiscard]] const ConditionSource& conditions() const { return conditions_; }
  /// The result of a call that returned `status`, with all that it published. No other call may follow.
  [[nodiscard]] CallResult ended(tomograph_status status);
  /// Writes to the host's log on behalf of the caller.
  void log(LogLevel level, const std::string& message, LogSubject subject = LogSubject::message);

 private:
  friend struct HostFunctions;

  /// Tells a plugin's author of a fact that the caller asks for and does not declare as a need.
  void expect_need(const char* key);
  void skip(std::string category, std::string reason);
  void publish(const tomograph_fact& fact);
  /// Adds to `outcomes` the reason why a declared fact has no value.
  void settle(std::map<std::string, std::string>& outcomes, const char* key, const char* reason) const;
  void add_evidence(const char* name, const tomograph_array* const* columns, std::uint32_t count);
  tomograph_status execute(const tomograph_experiment* const* batch, std::uint64_t count,
                           const tomograph_result_sink& sink);
  /// What `execute` returns if an exception came out of it.
  tomograph_status escaped(const std::string& what, std::uint64_t count, const tomograph_result_sink& sink);
  /// Executes a batch on the thread of the device. Returns the answers, none unless the status is OK.
  std::vector<Answer> execute_for_caller(std::span<const tomograph_experiment* const> batch, tomograph_status& status);
  /// The answers to a batch, undisturbed by other programs if the device can tell. `status` receives any but OK.
  std::vector<Answer> answers_to(std::span<const tomograph_experiment* const> batch, tomograph_status& status);
  /// The answers of one execution.
  std::vector<Answer> answers_once(std::span<const tomograph_experiment* const> batch, tomograph_status& status);
  /// Lets the device execute, and takes the time.
  [[nodiscard]] tomograph_status execute_on_device(std::span<const tomograph_experiment* const> batch,
                                                   const tomograph_result_sink& sink);
  /// Sends experiments and answers to the host.
  void record(std::span<const tomograph_experiment* const> batch, std::span<const Answer> answers);
  void progress(double fraction);
  void drop_facts_without_curve();
  void settle_refused_facts();

  Channel* channel_;
  Caller caller_;
  OpenDevice* device_;
  tomograph_host table_;
  std::string error_;
  std::map<std::string, std::string> refused_facts_;  ///< reasons by key
  std::string refusal_;                               ///< message about the last rule that the caller broke
  std::string skip_category_;
  std::string skip_reason_;
  Publication published_;
  Neighbours neighbours_;
  ConditionSource conditions_;
  Disturbances disturbances_;
  std::uint64_t experiments_ = 0;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::chrono::duration<double> in_device_{};
  std::chrono::duration<double> in_execute_{};
  std::chrono::duration<double> waiting_{};
  std::optional<std::string> loss_;  ///< why the device was lost, if the caller saw that
  std::uint64_t lines_ = 0;          ///< that the caller logged in this call
  std::chrono::steady_clock::time_point progress_told_;
};

}  // namespace tomograph::host

#endif
