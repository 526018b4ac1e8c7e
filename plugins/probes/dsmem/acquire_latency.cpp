#include "analysis_latency.hpp"
#include "experiments.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "tomograph/compute_capability.hpp"

namespace tomograph::dsmem {

namespace {

/// Trials of each cluster size. Each trial is a median over at least 132 pairs on an H200, which hardly scatters.
constexpr std::int64_t trials = 3;

std::vector<SizeLatencies> measure_latencies(const Session& session, std::int64_t largest) {
  std::vector<LatencyRequest> requests;
  for (std::int64_t size = 2; size <= largest; ++size) {
    for (std::int64_t trial = 0; trial < trials; ++trial) requests.push_back({.size = size, .trial = trial});
  }
  const std::vector<LatencyAnswer> answers = session.ask(requests);
  std::vector<SizeLatencies> sizes;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].trial == 0) sizes.push_back({requests[i].size, {}});
    sizes.back().trials.push_back(sort_pairs(requests[i].size, answers[i].cycles));
  }
  return sizes;
}

}  // namespace

void find_latency(const Session& session) {
  expect_compute_capability(session, 9);
  publish(session, measure_latencies(session, session.needed<std::int64_t>("cluster.max_size")));
}

}  // namespace tomograph::dsmem
