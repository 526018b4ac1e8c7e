#ifndef TOMOGRAPH_BENCH_MEASURING_MEASUREMENT_HPP
#define TOMOGRAPH_BENCH_MEASURING_MEASUREMENT_HPP

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>

#include "sim/gpu/description.hpp"
#include "tomograph/abi/plugin.h"

namespace tomograph::bench {

using Json = nlohmann::json;

/// What probes published about one GPU.
struct Measurement {
  std::map<std::string, Json> facts;            ///< records as the host would keep them, by key
  std::map<std::string, std::string> unknown;   ///< why a fact is inconclusive, absent or not measured
  std::map<std::string, double> probe_seconds;  ///< by id of the probe
  /// Ids of the experiments that the fact's probe asked for, by key.
  std::map<std::string, std::set<std::string>> experiments;
};

/// A simulated GPU to be measured.
struct Subject {
  const sim::Gpu& gpu;
  std::uint64_t seed = 1;  ///< of the simulation
  /// Facts that are not measured, as records that need only "value"; null for what the GPU does not have.
  std::map<std::string, Json> given = {};
};

/// What a probe is told of the facts that it needs, by key.
struct Told {
  std::map<std::string, std::string> facts = {};     ///< their records
  std::map<std::string, std::string> absences = {};  ///< why the GPU does not have them

  bool operator==(const Told&) const = default;
};

/// What one probe found, by what it was told.
struct ProbeRun {
  Told told;
  Measurement found;
};
/// Runs on one subject. A simulated GPU answers an experiment always alike, so a probe that is told the same finds the
/// same.
using ProbeRuns = std::multimap<const tomograph_probe*, ProbeRun>;

/// Runs the probes that provide the `wanted` keys and, before them, those that provide their needs. What is among
/// `runs` is not run again; what runs is added.
[[nodiscard]] Measurement measure(std::span<const tomograph_probe* const> probes, const Subject& subject,
                                  const std::set<std::string>& wanted, ProbeRuns& runs);
[[nodiscard]] Measurement measure(std::span<const tomograph_probe* const> probes, const Subject& subject,
                                  const std::set<std::string>& wanted);

}  // namespace tomograph::bench

#endif
