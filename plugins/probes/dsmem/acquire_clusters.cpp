#include <span>
#include <string>
#include <vector>

#include "analysis_clusters.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/compute_capability.hpp"

namespace tomograph::dsmem {

namespace {

constexpr const char* key = "cluster.max_size";
/// Sizes that are tried: up to four times the portable size, 8, and twice the largest of an H200.
constexpr std::int64_t first_size = 2;
constexpr std::int64_t last_size = 32;

void publish(const Session& session, std::int64_t largest, std::span<const ClustersAnswer> answers) {
  session.publish({.key = key,
                   .value = largest,
                   .method = "launch-and-look",
                   .confidence = confidence::hopper::cluster_size,
                   .samples = answers[static_cast<std::size_t>(largest - first_size)].seen_size.size(),
                   .conditions = {{"shared_memory", "more than half of an SM's for each CTA"},
                                  {"sizes_beyond_the_portable", "allowed"}},
                   .evidence = key});
}

}  // namespace

void find_largest_cluster(const Session& session) {
  expect_compute_capability(session, 9);
  std::vector<ClustersRequest> requests;
  for (std::int64_t size = first_size; size <= last_size; ++size) requests.push_back({size});
  const std::vector<ClustersAnswer> answers = session.ask(requests);
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> resident;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    sizes.push_back(requests[i].size);
    resident.push_back(answers[i].resident);
  }
  session.evidence(key, std::vector<NamedArray>{{"size", sizes}, {"resident_clusters", resident}});
  const std::int64_t largest = largest_cluster(first_size, answers);
  if (largest == 0) return session.absent(key, "no cluster of two or more CTAs could be launched");
  if (largest == last_size) {
    return session.inconclusive(
        key, "clusters of " + std::to_string(last_size) + " CTAs exist, and larger ones were not tried");
  }
  publish(session, largest, answers);
}

}  // namespace tomograph::dsmem
