#include "analysis_trials.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "settings.hpp"
#include "tomograph/compute_capability.hpp"

namespace tomograph::atomics {

namespace {

std::vector<LatencyRequest> chains_of(Space space, std::size_t operation) {
  // A chain through L2 takes ten times as long as one through shared memory.
  const std::int64_t laps = space == Space::global ? 1 : 4;
  std::vector<LatencyRequest> asked;
  for (std::int64_t trial = 0; trial < trials; ++trial) asked.push_back({space, operation, laps, trial});
  return asked;
}

/// The latencies of SMs, for each trial that had a result.
std::vector<std::vector<double>> measure_latency(const Session& session, Space space, std::size_t operation) {
  const auto asked = chains_of(space, operation);
  const std::vector<TimesAnswer> answers = session.ask(asked);
  std::vector<std::vector<double>> valid;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (auto cycles = chain_cycles(asked[i], answers[i])) valid.push_back(std::move(*cycles));
  }
  return valid;
}

std::vector<Point> measure_throughput(const Session& session, Space space, std::size_t operation) {
  std::vector<Point> points;
  std::vector<ThroughputRequest> asked;
  std::vector<std::size_t> point_of;
  for (const ThroughputRequest& setting : settings_of(space, operation)) {
    points.push_back({setting, trials_of(setting)});
    for (std::size_t trial = 0; trial < points.back().trials; ++trial) {
      asked.push_back(setting);
      asked.back().trial = static_cast<std::int64_t>(trial);
      point_of.push_back(points.size() - 1);
    }
  }
  const std::vector<TimesAnswer> answers = session.ask(asked);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (const auto rate = rate_of(asked[i], answers[i])) points[point_of[i]].rates.push_back(*rate);
  }
  return points;
}

}  // namespace

void find_atomic(const Session& session, Space space, std::size_t operation, const std::string& prefix) {
  const auto capability = compute_capability(session);
  if (capability && !has_operation(operations[operation], *capability)) {
    throw Skip("device", "needs compute capability 6.0");
  }
  const Subject subject{space, operation};
  publish_latency(session, prefix, subject, measure_latency(session, space, operation));
  publish_throughput(session, prefix, subject, measure_throughput(session, space, operation));
}

}  // namespace tomograph::atomics
