#ifndef TOMOGRAPH_HOST_TOPOLOGY_TOPOLOGY_HPP
#define TOMOGRAPH_HOST_TOPOLOGY_TOPOLOGY_HPP

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "topology/fact_record.hpp"
#include "topology/outcome.hpp"

/// The merged facts of one device: the content of topology.toml.
namespace tomograph::host {

/// Experiments that other programs disturbed.
struct Disturbances {
  std::uint64_t repeated = 0;  ///< executed again
  std::uint64_t given_up = 0;  ///< disturbed each time
};

/// How the run of one probe ended: `measured` if at least one fact was.
struct ProbeRun {
  OutcomeStatus status = OutcomeStatus::skipped;
  std::string reason;
  double seconds = 0;
  std::uint64_t experiments = 0;
  double executing_seconds = 0;  ///< of `seconds`: the device executed experiments
  double plugin_seconds = 0;     ///< of `seconds`: the plugin's own code ran
  Disturbances disturbances = {};
};

struct Topology {
  static constexpr int schema_version = 2;
  Json provenance = Json::object();  ///< tool, versions, device, plugins with hashes, options, start, duration
  std::map<std::string, FactRecord> facts;
  std::map<std::string, Outcome> outcomes;  ///< by fact key
  std::map<std::string, ProbeRun> probes;   ///< by probe id
};

}  // namespace tomograph::host

#endif
