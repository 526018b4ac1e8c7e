#ifndef TOMOGRAPH_ATOMICS_PUBLISH_HPP
#define TOMOGRAPH_ATOMICS_PUBLISH_HPP

#include <span>
#include <string>
#include <vector>

#include "analysis_trials.hpp"
#include "tomograph/session.hpp"

namespace tomograph::atomics {

/// What was measured.
struct Subject {
  Space space = Space::global;
  std::size_t operation = 0;
};

/// Publishes the latency from the latencies of SMs, one list for each trial that had a result, and these as evidence.
void publish_latency(const Session& session, const std::string& prefix, const Subject& subject,
                     const std::vector<std::vector<double>>& by_trial);

/// Publishes the throughputs of all settings, and these as evidence.
void publish_throughput(const Session& session, const std::string& prefix, const Subject& subject,
                        std::span<const Point> points);

}  // namespace tomograph::atomics

#endif
