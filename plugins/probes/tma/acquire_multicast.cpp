#include <algorithm>
#include <vector>

#include "analysis_throughput.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/column.hpp"
#include "tomograph/compute_capability.hpp"

namespace tomograph::tma {

namespace {

constexpr const char* multicast_evidence = "tma.multicast";
/// The rate depends on which SMs form clusters, by a tenth between starts of an H200: hence many trials, and no claim
/// beyond confidence::hopper::compared.
constexpr std::int64_t trials = 25;
/// Tiles, buffers and largest cluster. Chosen on an H200.
constexpr std::int64_t tile = 32 << 10;
constexpr std::int64_t stages = 4;
constexpr std::int64_t most_ctas = 16;

/// Every cluster size, without and with multicast.
std::vector<ThroughputRequest> configurations(std::int64_t largest_cluster) {
  std::vector<ThroughputRequest> all;
  for (std::int64_t size = 2; size <= std::min(largest_cluster, most_ctas); size *= 2) {
    for (const bool multicast : {false, true}) {
      all.push_back({.tile = tile,
                     .stages = stages,
                     .cluster = size,
                     .multicast = multicast,
                     .region = std::int64_t{16} << 20,
                     .sm_bytes = std::int64_t{16} << 20});
    }
  }
  return all;
}

/// A configuration, and the bytes per second that each SM receives.
struct Rate {
  ThroughputRequest request;
  double value = 0;
};

std::vector<Rate> measure(const Session& session, const std::vector<ThroughputRequest>& configurations) {
  // Configurations take turns, because the SMs that form clusters depend on the launches before.
  std::vector<ThroughputRequest> asked;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    for (ThroughputRequest request : configurations) {
      request.trial = trial;
      asked.push_back(request);
    }
  }
  const std::vector<ThroughputAnswer> answers = session.ask(asked);
  std::vector<Rate> rates;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    std::vector<double> values;
    for (std::size_t at = i; at < answers.size(); at += configurations.size()) {
      values.push_back(bytes_per_second(answers[at]) / static_cast<double>(answers[at].ctas));
    }
    rates.push_back({configurations[i], analysis::median(values)});
  }
  return rates;
}

}  // namespace

void find_multicast(const Session& session) {
  expect_compute_capability(session, 9);
  const auto rates = measure(session, configurations(session.needed<std::int64_t>("cluster.max_size")));
  session.evidence(
      multicast_evidence,
      std::vector{column("cluster_size", rates, [](const Rate& one) { return one.request.cluster; }),
                  column("multicast", rates, [](const Rate& one) { return one.request.multicast ? 1 : 0; }),
                  column("bytes_per_second_and_sm", rates, [](const Rate& one) { return one.value; })});
  for (const bool multicast : {false, true}) {
    Value rows = Value::list();
    for (const Rate& one : rates) {
      if (one.request.multicast == multicast) rows.push_back(Value::list(one.request.cluster, one.value));
    }
    session.publish({.key = multicast ? "tma.multicast.bandwidth" : "tma.multicast.unicast_bandwidth",
                     .value = rows,
                     .method = "whole-kernel",
                     .confidence = confidence::hopper::compared,
                     .samples = trials,
                     .conditions = {{"tile", tile}, {"stages", stages}, {"global_memory", "in the L2"}},
                     .evidence = multicast_evidence});
  }
}

}  // namespace tomograph::tma
