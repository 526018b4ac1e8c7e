#include <algorithm>

#include "analysis.hpp"
#include "probes.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::tma {

namespace {

constexpr const char* curve = "tma.multicast";
constexpr std::int64_t trials = 7;
constexpr std::int64_t mebi = 1 << 20;

std::vector<ThroughputRequest> requests(std::int64_t largest) {
  std::vector<ThroughputRequest> all;
  for (std::int64_t size = 2; size <= std::min<std::int64_t>(largest, 16); size *= 2) {
    for (const bool multicast : {false, true}) {
      for (std::int64_t trial = 0; trial < trials; ++trial) {
        all.push_back({.tile = 32 * 1024,
                       .stages = 4,
                       .cluster = size,
                       .multicast = multicast,
                       .region = 16 * mebi,
                       .sm_bytes = 8 * mebi,
                       .trial = trial});
      }
    }
  }
  return all;
}

}  // namespace

void find_multicast(const Session& session) {
  expect_tma(session);
  const auto asked = requests(session.needed<std::int64_t>("cluster.max_size"));
  const auto answers = execute(session, asked);
  Json rows[2]{Json::array(), Json::array()};
  std::vector<double> sizes;
  std::vector<double> kinds;
  std::vector<double> values;
  for (std::size_t i = 0; i < asked.size(); i += trials) {
    std::vector<double> seen;
    for (std::size_t trial = 0; trial < trials; ++trial)
      seen.push_back(bytes_per_second(answers[i + trial]) / static_cast<double>(answers[i].ctas));
    rows[asked[i].multicast ? 1 : 0].push_back({asked[i].cluster, analysis::median(seen)});
    sizes.push_back(static_cast<double>(asked[i].cluster));
    kinds.push_back(asked[i].multicast ? 1 : 0);
    values.push_back(analysis::median(seen));
  }
  session.evidence(curve, std::vector<NamedArray>{
                              {"cluster_size", sizes}, {"multicast", kinds}, {"bytes_per_second_and_sm", values}});
  for (const bool multicast : {false, true}) {
    session.publish({.key = multicast ? "tma.multicast.bandwidth" : "tma.multicast.unicast_bandwidth",
                     .value = rows[multicast ? 1 : 0],
                     .method = "whole-kernel",
                     .confidence = 0.9,
                     .samples = trials,
                     .conditions = {{"tile", 32 * 1024}, {"stages", 4}, {"global_memory", "in the L2"}},
                     .evidence = curve});
  }
}

}  // namespace tomograph::tma
