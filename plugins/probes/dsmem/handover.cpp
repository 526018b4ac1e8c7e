#include "analysis.hpp"
#include "probes.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::dsmem {

void find_handover(const Session& session) {
  constexpr std::int64_t trials = 15;
  expect_clusters(session);
  std::vector<HandoverRequest> requests;
  for (const Space space : {Space::cluster, Space::global}) {
    for (std::int64_t trial = 0; trial < trials; ++trial) requests.push_back({.space = space, .trial = trial});
  }
  const auto answers = execute(session, requests);
  for (const Space space : {Space::cluster, Space::global}) {
    const std::string key = space == Space::cluster ? "dsmem.handover" : "dsmem.handover.through_global";
    std::vector<double> medians;
    std::vector<double> all;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (requests[i].space != space) continue;
      medians.push_back(analysis::median(answers[i].cycles));
      all.insert(all.end(), answers[i].cycles.begin(), answers[i].cycles.end());
    }
    session.evidence(key, std::vector<NamedArray>{{"cycles", all}});
    const Seen seen = summarize(medians, 0.005);
    session.publish({.key = key,
                     .value = seen.value,
                     .method = "ping-pong",
                     .confidence = confidence::hopper::measured,
                     .interval = seen.interval,
                     .samples = all.size(),
                     .conditions = {{"store", "release"}, {"load", "acquire"}},
                     .evidence = key});
  }
}

}  // namespace tomograph::dsmem
