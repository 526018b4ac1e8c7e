#include <vector>

#include "analysis_throughput.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "tomograph/compute_capability.hpp"

namespace tomograph::dsmem {

namespace {

/// Passes of the shorter run; the longer run has three times as many. One pass suffices where all CTAs access the
/// memory of one, which takes many times as long. Global memory needs more passes, because its rate is that of the last
/// SM, whose start and end must not weigh. Chosen on an H200.
std::int64_t passes_of(const ThroughputRequest& request) {
  if (request.partner == Partner::first) return 1;
  return request.space == Space::global ? 32 : 8;
}

/// Trials of an access pattern. The rate of all SMs through global memory depends on the placement of the clusters, by
/// 5 % on an H200, and needs twice as many: their interquartile mean then scatters by little more than 1 %.
std::int64_t trials_of(const ThroughputRequest& request) { return request.space == Space::global ? 18 : 9; }

std::vector<ThroughputRequest> access_patterns(std::int64_t largest_cluster) {
  std::vector<ThroughputRequest> all;
  for (const Operation operation : {Operation::load, Operation::store, Operation::atomic}) {
    const std::int64_t width = operation == Operation::atomic ? 4 : 16;
    for (std::int64_t size = 2; size <= largest_cluster; size *= 2) {
      for (const Partner partner : measured_partners) {
        all.push_back({.size = size, .operation = operation, .partner = partner, .width = width});
      }
      all.push_back({.size = size, .operation = operation, .space = Space::global, .width = width});
    }
  }
  return all;
}

/// A shorter and a longer run for each trial of each pattern.
std::vector<ThroughputRequest> runs_of(const std::vector<ThroughputRequest>& patterns) {
  std::vector<ThroughputRequest> requests;
  for (const ThroughputRequest& pattern : patterns) {
    for (std::int64_t trial = 0; trial < trials_of(pattern); ++trial) {
      for (const std::int64_t length : {1, 3}) {
        requests.push_back(pattern);
        requests.back().passes = length * passes_of(pattern);
        requests.back().trial = trial;
      }
    }
  }
  return requests;
}

std::vector<Measurement> measure_throughput(const Session& session, std::int64_t largest_cluster) {
  const auto patterns = access_patterns(largest_cluster);
  const auto requests = runs_of(patterns);
  const std::vector<ThroughputAnswer> answers = session.ask(requests);
  std::vector<Measurement> measurements;
  std::size_t at = 0;
  for (const ThroughputRequest& pattern : patterns) {
    std::vector<double> per_sm;
    std::vector<double> total;
    for (std::int64_t trial = 0; trial < trials_of(pattern); ++trial, at += 2) {
      const Runs runs{requests[at].passes, requests[at + 1].passes, answers[at], answers[at + 1]};
      per_sm.push_back(bytes_per_cycle(runs));
      total.push_back(bytes_per_second(runs));
    }
    measurements.push_back(
        {pattern, summarize(per_sm, throughput_resolution), summarize(total, throughput_resolution)});
  }
  return measurements;
}

}  // namespace

void find_throughput(const Session& session) {
  expect_compute_capability(session, 9);
  publish(session, measure_throughput(session, session.needed<std::int64_t>("cluster.max_size")));
}

}  // namespace tomograph::dsmem
