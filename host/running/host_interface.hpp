#ifndef TOMOGRAPH_HOST_RUNNING_HOST_INTERFACE_HPP
#define TOMOGRAPH_HOST_RUNNING_HOST_INTERFACE_HPP

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loading/description.hpp"
#include "process/channel.hpp"
#include "tomograph/abi/plugin.h"
#include "tomograph/experiment/experiment.hpp"
#include "topology/topology.hpp"

namespace tomograph::host {

/// On whose behalf a HostInterface acts, and what it may know and say.
struct Caller {
  enum class Kind { probe, model, device, executor };
  Kind kind = Kind::probe;
  std::string plugin;                               ///< id, marks its log lines
  std::string id;                                   ///< of the probe, model or device; what an executor executes
  std::map<std::string, std::string> parameters;    ///< JSON text of each declared parameter
  std::map<std::string, std::string> facts;         ///< JSON text of the record of each declared need that is known
  std::map<std::string, FactDeclaration> provides;  ///< by key; empty for devices and executors
};

class Executors;
class HostInterface;

/// The device that is open in this process.
struct OpenDevice {
  const tomograph_device* descriptor = nullptr;
  void* session = nullptr;
  HostInterface* interface = nullptr;  ///< the one that it was opened with
  Executors* executors = nullptr;      ///< serve what the device does not know
  bool record = false;                 ///< whether experiments go to the host with their answers
  bool lost = false;
};

/// tomograph_host as one probe, model or device sees it: checks every rule of abi/host.h and collects what is
/// published until the call ends.
class HostInterface {
 public:
  /// `device` may be null: then experiments are unsupported. `channel` and `device` outlive the interface.
  HostInterface(Channel& channel, Caller caller, OpenDevice* device);
  HostInterface(const HostInterface&) = delete;
  HostInterface& operator=(const HostInterface&) = delete;

  /// The table to hand over; valid as long as the interface.
  [[nodiscard]] const tomograph_host* table() const { return &table_; }
  /// The last reason given through `error`, if any.
  [[nodiscard]] const std::string& error() const { return error_; }
  /// Before another call of a device or executor: forgets the last reason and grants anew what it may log.
  void begin_call() {
    error_.clear();
    lines_ = 0;
  }
  /// The message "ended" for a call that returned `status`, with all that it published.
  [[nodiscard]] Json ended(tomograph_status status);
  /// Writes to the host's log on behalf of the caller.
  void log(tomograph_log_level level, const std::string& message);

 private:
  friend struct HostFunctions;

  void publish(const tomograph_fact& fact);
  /// Takes down in `outcomes` why a declared fact has no value.
  void settle(std::map<std::string, std::string>& outcomes, const char* key, const char* reason);
  void add_evidence(const char* name, const tomograph_array* const* columns, std::uint32_t count);
  tomograph_status execute(const tomograph_experiment* const* batch, std::uint64_t count,
                           const tomograph_result_sink& sink);
  tomograph_status execute_recorded(const tomograph_experiment* const* batch, std::uint64_t count,
                                    const tomograph_result_sink& sink);
  /// Sends the host what was asked and answered.
  void record(std::span<const tomograph_experiment* const> batch, std::span<const Answer> answers);
  void progress(double fraction);
  [[nodiscard]] FactRecord checked(const std::string& key, const tomograph_fact& fact) const;
  void check_declaration(const std::string& key, const FactRecord& record) const;
  void drop_facts_without_curve();

  Channel* channel_;
  Caller caller_;
  OpenDevice* device_;
  tomograph_host table_;
  std::string error_;
  std::string refusal_;  ///< the last rule that the caller broke
  std::string skip_category_;
  std::string skip_reason_;
  std::map<std::string, FactRecord> facts_;
  std::map<std::string, std::string> inconclusive_;
  std::map<std::string, std::string> absent_;
  std::map<std::string, std::vector<NamedArray>> evidence_;
  std::uint64_t experiments_ = 0;
  std::uint64_t lines_ = 0;  ///< that the caller wrote into the log
  std::chrono::steady_clock::time_point progress_told_;
};

}  // namespace tomograph::host

#endif
