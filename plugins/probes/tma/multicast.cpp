#include <algorithm>
#include <array>

#include "analysis.hpp"
#include "probes.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::tma {

namespace {

constexpr const char* curve = "tma.multicast";
constexpr std::int64_t trials = 25;
constexpr std::int64_t mebi = 1 << 20;
constexpr std::int64_t tile = 32 << 10;

/// Every cluster size, without and with multicast.
std::vector<ThroughputRequest> ways(std::int64_t largest) {
  std::vector<ThroughputRequest> all;
  for (std::int64_t size = 2; size <= std::min<std::int64_t>(largest, 16); size *= 2) {
    for (const bool multicast : {false, true}) {
      all.push_back({.tile = tile,
                     .stages = 4,
                     .cluster = size,
                     .multicast = multicast,
                     .region = 16 * mebi,
                     .sm_bytes = 16 * mebi});
    }
  }
  return all;
}

}  // namespace

void find_multicast(const Session& session) {
  expect_tma(session);
  const auto all = ways(session.needed<std::int64_t>("cluster.max_size"));
  // In turns: which SMs form clusters depends on the launches before.
  std::vector<ThroughputRequest> asked;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    for (ThroughputRequest request : all) {
      request.trial = trial;
      asked.push_back(request);
    }
  }
  const auto answers = execute(session, asked);
  std::array rows{Value::list(), Value::list()};
  std::vector<double> sizes;
  std::vector<double> kinds;
  std::vector<double> values;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<double> seen;
    for (std::size_t at = i; at < answers.size(); at += all.size()) {
      seen.push_back(bytes_per_second(answers[at]) / static_cast<double>(answers[at].ctas));
    }
    rows[all[i].multicast ? 1 : 0].push_back(Value::list(all[i].cluster, analysis::median(seen)));
    sizes.push_back(static_cast<double>(all[i].cluster));
    kinds.push_back(all[i].multicast ? 1 : 0);
    values.push_back(analysis::median(seen));
  }
  session.evidence(curve, std::vector<NamedArray>{
                              {"cluster_size", sizes}, {"multicast", kinds}, {"bytes_per_second_and_sm", values}});
  for (const bool multicast : {false, true}) {
    session.publish({.key = multicast ? "tma.multicast.bandwidth" : "tma.multicast.unicast_bandwidth",
                     .value = rows[multicast ? 1 : 0],
                     .method = "whole-kernel",
                     .confidence = confidence::hopper::compared,
                     .samples = trials,
                     .conditions = {{"tile", tile}, {"stages", 4}, {"global_memory", "in the L2"}},
                     .evidence = curve});
  }
}

}  // namespace tomograph::tma
