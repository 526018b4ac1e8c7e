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

/// How the run of one probe ended: `measured` if at least one fact was.
struct ProbeRun {
  OutcomeStatus status = OutcomeStatus::skipped;
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
