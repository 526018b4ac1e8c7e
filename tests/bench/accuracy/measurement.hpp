#ifndef TOMOGRAPH_BENCH_ACCURACY_MEASUREMENT_HPP
#define TOMOGRAPH_BENCH_ACCURACY_MEASUREMENT_HPP

#include <map>
#include <string>

#include "random_gpu.hpp"
#include "tomograph/abi/plugin.h"
#include "tomograph/fact.hpp"

namespace tomograph::bench {

/// What probes said about one GPU.
struct Measurement {
  std::map<std::string, Json> facts;            ///< records as the host would keep them, by key
  std::map<std::string, std::string> unknown;   ///< why a fact is inconclusive, absent or was never looked for
  std::map<std::string, double> probe_seconds;  ///< by id of the probe
};

/// Runs those probes of `plugin` that the varied cache needs, in an order that their needs allow.
[[nodiscard]] Measurement measure(const tomograph_plugin& plugin, const Case& drawn);

}  // namespace tomograph::bench

#endif
