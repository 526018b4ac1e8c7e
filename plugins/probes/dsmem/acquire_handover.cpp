#include <vector>

#include "analysis_trials.hpp"
#include "experiments.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/compute_capability.hpp"

namespace tomograph::dsmem {

void find_handover(const Session& session) {
  // One trial for nearly each place of the words in global memory that the executor knows.
  constexpr std::int64_t trials = 15;
  expect_compute_capability(session, 9);
  std::vector<HandoverRequest> requests;
  for (const Space space : {Space::cluster, Space::global}) {
    for (std::int64_t trial = 0; trial < trials; ++trial) requests.push_back({.space = space, .trial = trial});
  }
  const std::vector<HandoverAnswer> answers = session.ask(requests);
  for (const Space space : {Space::cluster, Space::global}) {
    std::vector<double> medians;
    std::vector<double> all;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (requests[i].space != space) continue;
      medians.push_back(analysis::median(answers[i].cycles));
      all.insert(all.end(), answers[i].cycles.begin(), answers[i].cycles.end());
    }
    publish_handover(session, space, summarize(medians, latency_resolution), all);
  }
}

}  // namespace tomograph::dsmem
