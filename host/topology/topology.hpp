#ifndef TOMOGRAPH_HOST_TOPOLOGY_TOPOLOGY_HPP
#define TOMOGRAPH_HOST_TOPOLOGY_TOPOLOGY_HPP

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

/// The merged facts of one device, as they stand in topology.toml.
namespace tomograph::host {

using Json = nlohmann::json;

/// One fact. `interval` is empty where the value is discrete.
struct FactRecord {
  Json value;
  std::string unit;
  std::string source;  ///< "measured", "api" or "derived"
  std::string method;
  std::string probe;  ///< id of the probe, model or (API facts) device that published it
  std::string scope;  ///< "sm", "partition" or "device"
  double confidence = 0;
  std::optional<std::pair<double, double>> interval;
  std::uint64_t samples = 0;
  Json conditions = Json::object();
  std::string evidence;
};

/// How the question for one fact ended. `fact` is blocked-by or empty.
struct Outcome {
  std::string status;    ///< "measured", "skipped", "inconclusive", "failed", "crashed", "timed-out" or "blocked"
  std::string reason;    ///< empty for "measured"
  std::string category;  ///< for "skipped": "device", "configuration", "resource", "permission", "interrupted"
  std::string probe;
};

/// How the run of one probe ended. Status as for an outcome; "measured" if at least one fact was.
struct ProbeRun {
  std::string status;
  std::string reason;
  double seconds = 0;
  std::uint64_t experiments = 0;
};

struct Topology {
  static constexpr int schema_version = 1;
  Json provenance = Json::object();  ///< tool, versions, device, plugins with hashes, options, start, duration
  std::map<std::string, FactRecord> facts;
  std::map<std::string, Outcome> outcomes;  ///< by fact key
  std::map<std::string, ProbeRun> probes;   ///< by probe id
};

}  // namespace tomograph::host

#endif
