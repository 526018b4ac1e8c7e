#ifndef TOMOGRAPH_BENCH_ACCURACY_MEASUREMENT_HPP
#define TOMOGRAPH_BENCH_ACCURACY_MEASUREMENT_HPP

#include <map>
#include <span>
#include <string>

#include "family.hpp"
#include "tomograph/abi/plugin.h"
#include "tomograph/fact.hpp"

namespace tomograph::bench {

/// What probes said about one GPU.
struct Measurement {
  std::map<std::string, Json> facts;            ///< records as the host would keep them, by key
  std::map<std::string, std::string> unknown;   ///< why a fact is inconclusive, absent or was never looked for
  std::map<std::string, double> probe_seconds;  ///< by id of the probe
};

/// Runs those of `probes` that the facts expected of the case need, in an order that their needs allow.
[[nodiscard]] Measurement measure(std::span<const tomograph_probe* const> probes, const Case& drawn);

}  // namespace tomograph::bench

#endif
