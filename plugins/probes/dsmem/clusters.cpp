#include "analysis.hpp"
#include "probes.hpp"
#include "tomograph/analysis/confidence.hpp"

namespace tomograph::dsmem {

void find_largest_cluster(const Session& session) {
  constexpr std::int64_t first_size = 2;
  constexpr std::int64_t last_size = 32;
  expect_clusters(session);
  std::vector<ClustersRequest> requests;
  for (std::int64_t size = first_size; size <= last_size; ++size) requests.push_back({size});
  const auto answers = execute(session, requests);
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> resident;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    sizes.push_back(requests[i].size);
    resident.push_back(answers[i].resident);
  }
  session.evidence("cluster.max_size", std::vector<NamedArray>{{"size", sizes}, {"resident_clusters", resident}});
  const std::int64_t largest = largest_cluster(first_size, answers);
  if (largest == 0) return session.absent("cluster.max_size", "no cluster of two CTAs or more could be launched");
  if (largest == last_size) {
    return session.inconclusive(
        "cluster.max_size", "there are clusters of " + std::to_string(last_size) + " CTAs, larger ones were not tried");
  }
  session.publish({.key = "cluster.max_size",
                   .value = largest,
                   .method = "launch-and-look",
                   .confidence = confidence::hopper::cluster_size,
                   .samples = answers[static_cast<std::size_t>(largest - first_size)].seen_size.size(),
                   .conditions = {{"shared_memory", "more than half of an SM's for each CTA"},
                                  {"sizes_beyond_the_portable", "allowed"}},
                   .evidence = "cluster.max_size"});
}

}  // namespace tomograph::dsmem
