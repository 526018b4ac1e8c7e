#ifndef TOMOGRAPH_HOST_PROCESS_MESSAGES_HPP
#define TOMOGRAPH_HOST_PROCESS_MESSAGES_HPP

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "process/check_result.hpp"
#include "process/log_line.hpp"
#include "tomograph/abi/fact.h"
#include "topology/conditions.hpp"
#include "topology/evidence.hpp"
#include "topology/topology.hpp"

/// The messages between the host and a worker. The worker answers a Request with any number of LogLine and
/// ProgressReport messages and then one CallResult. The host sends one Request at a time, except that probes and models
/// of different plugins may run at the same time. Recorded experiments travel as bytes (exchanges.hpp). While a device
/// is open that tells its conditions, ReadingBegins and ConditionSample messages arrive at any time.
namespace tomograph::host {

/// Asks what a library says about itself.
struct DescribeRequest {
  std::string plugin;  ///< path of the library, here and below
};

/// Asks for a check of a library.
struct CheckRequest {
  std::string plugin;
  std::string check;
};

/// Asks for the targets of a device.
struct EnumerateRequest {
  std::string plugin;
  std::string device;
  Json parameters;
};

/// Opens a device for the requests that follow.
struct OpenRequest {
  std::string plugin;
  std::string device;
  std::string target;
  Json parameters;
  std::map<std::string, std::string> executors;  ///< path of the plugin that executes an experiment, by experiment
  bool record = false;                           ///< whether experiments go to the host with their answers
  bool read_conditions = true;                   ///< if the device can tell them
};

/// What is known of the facts that a probe or model needs, by key.
struct KnownNeeds {
  std::map<std::string, FactRecord> facts = {};
  std::map<std::string, std::string> absent = {};  ///< why the device does not have them
};

/// Runs a probe or model.
struct RunRequest {
  std::string plugin;
  std::string probe;
  Json parameters;
  KnownNeeds needs;
};

/// A topology for an exporter: JSON texts as in tomograph_document. `evidence` is empty where there is none.
struct ExportDocument {
  std::string name;
  std::string topology;
  std::string findings;
  std::string evidence;
};

/// Writes topologies in a format. The bytes of the file travel before the CallResult, as bytes.
struct ExportRequest {
  std::string plugin;
  std::string exporter;
  Json parameters;
  std::vector<ExportDocument> documents;
};

using Request = std::variant<DescribeRequest, CheckRequest, EnumerateRequest, OpenRequest, RunRequest, ExportRequest>;

/// How far the probe has come.
struct ProgressReport {
  std::string probe;
  double fraction = 0;
};

/// A target that a device found.
struct FoundTarget {
  std::string name;
  std::string description;
};

/// What a probe, model or device published in one call.
struct Publication {
  std::map<std::string, FactRecord> facts;
  std::map<std::string, std::string> inconclusive;  ///< reasons by fact key
  std::map<std::string, std::string> absent;        ///< reasons by fact key
  std::map<std::string, Curve> curves;
};

/// How a request ended. Members that the request does not ask for are empty.
struct CallResult {
  std::string probe = {};  ///< or model that ran
  tomograph_status status = TOMOGRAPH_OK;
  std::string error = {};          ///< the reason, unless `status` is OK
  std::string skip_category = {};  ///< as the plugin gave it
  std::string skip_reason = {};
  Publication published = {};
  std::uint64_t experiments = 0;     ///< executed
  double executing_seconds = 0;      ///< in the device
  double plugin_seconds = 0;         ///< in the plugin's own code
  double waiting_seconds = 0;        ///< while the device executed for other probes
  Disturbances disturbances = {};    ///< of them
  std::uint64_t lines_left_out = 0;  ///< of what the plugin wrote into the log
  bool device_lost = false;
  std::string changes = {};  ///< what the plugin did not leave as it found it in its process
  std::vector<FoundTarget> targets = {};
  CheckResult check = {};
  Json description = {};  ///< of the plugin
};

/// The worker is about to read the conditions of the device. If the process dies before the sample arrives, that is the
/// likely cause.
struct ReadingBegins {};

/// What a worker sends. The time of a sample is that of the steady clock, which all processes share.
using WorkerMessage = std::variant<LogLine, ProgressReport, CallResult, ReadingBegins, ConditionSample>;

[[nodiscard]] Json to_json(const Request& request);
[[nodiscard]] Json to_json(const WorkerMessage& message);
/// @throws std::exception if `json` is no request.
[[nodiscard]] Request request_from_json(const Json& json);
/// @throws std::exception if `json` is no message of a worker.
[[nodiscard]] WorkerMessage worker_message_from_json(const Json& json);

}  // namespace tomograph::host

#endif
