#include <algorithm>
#include <array>

#include "analysis.hpp"
#include "probes.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::dsmem {

namespace {

constexpr std::int64_t trials = 3;
constexpr const char* curve = "dsmem.latency";

/// All latencies of one cluster size, trial by trial.
struct Size {
  std::int64_t size = 0;
  std::array<PairLatencies, trials> pairs;
};

std::vector<Size> measure(const Session& session, std::int64_t largest) {
  std::vector<LatencyRequest> requests;
  for (std::int64_t size = 2; size <= largest; ++size) {
    for (std::int64_t trial = 0; trial < trials; ++trial) requests.push_back({.size = size, .trial = trial});
  }
  const auto answers = execute(session, requests);
  std::vector<Size> sizes;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].trial == 0) sizes.push_back({requests[i].size, {}});
    sizes.back().pairs[static_cast<std::size_t>(requests[i].trial)] = sort_pairs(requests[i].size, answers[i].cycles);
  }
  return sizes;
}

void keep_curve(const Session& session, const std::vector<Size>& sizes) {
  std::vector<NamedArray> columns{{"size", std::vector<std::int64_t>{}}, {"latency_cycles", std::vector<double>{}}};
  for (const Size& one : sizes) {
    for (const double cycles : one.pairs[0].other) {
      std::get<std::vector<std::int64_t>>(columns[0].numbers).push_back(one.size);
      std::get<std::vector<double>>(columns[1].numbers).push_back(cycles);
    }
  }
  session.evidence(curve, columns);
}

using Group = std::vector<double> PairLatencies::*;

/// Median of the latencies of a group of pairs, in each trial.
template <typename Sizes>
Seen median_of(const Sizes& sizes, Group group) {
  std::vector<double> medians;
  for (std::size_t trial = 0; trial < trials; ++trial) {
    std::vector<double> all;
    for (const Size& one : sizes) {
      const auto& own = one.pairs[trial].*group;
      all.insert(all.end(), own.begin(), own.end());
    }
    medians.push_back(analysis::median(all));
  }
  return summarize(medians, 0.005);
}

void publish(const Session& session, const char* key, const Seen& seen, std::size_t pairs, Value conditions) {
  session.publish({.key = key,
                   .value = seen.value,
                   .method = "dependent-loads-difference",
                   .confidence = confidence::hopper::measured,
                   .interval = seen.interval,
                   .samples = pairs * seen.trials,
                   .conditions = std::move(conditions),
                   .evidence = curve});
}

/// The distribution over pairs, in quantiles.
Value quantiles(const std::vector<Size>& sizes) {
  std::vector<double> all;
  for (const Size& one : sizes) all.insert(all.end(), one.pairs[0].other.begin(), one.pairs[0].other.end());
  Value pairs = Value::list();
  for (const double share : {0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0}) {
    pairs.push_back(Value::list(share, analysis::quantile(all, share)));
  }
  return pairs;
}

}  // namespace

void find_latency(const Session& session) {
  expect_clusters(session);
  const std::vector<Size> sizes = measure(session, session.needed<std::int64_t>("cluster.max_size"));
  keep_curve(session, sizes);
  std::size_t pairs = 0;
  Value by_size = Value::list();
  for (const Size& one : sizes) {
    pairs += one.pairs[0].other.size();
    by_size.push_back(Value::list(one.size, median_of(std::span(&one, 1), &PairLatencies::other).value));
  }
  publish(session, "dsmem.latency", median_of(sizes, &PairLatencies::other), pairs,
          {{"pairs", "every CTA with every other of its cluster, clusters of every size"}});
  publish(session, "dsmem.latency.own", median_of(sizes, &PairLatencies::own), sizes.back().pairs[0].own.size(),
          {{"address", "of the cluster, though the memory is the CTA's own"}});
  publish(session, "dsmem.latency.neighbour", median_of(std::span(sizes).first(1), &PairLatencies::neighbour),
          sizes.front().pairs[0].neighbour.size(), {{"cluster_size", 2}});
  session.publish({.key = "dsmem.latency_by_cluster_size",
                   .value = by_size,
                   .method = "dependent-loads-difference",
                   .confidence = confidence::hopper::measured,
                   .samples = trials,
                   .evidence = curve});
  session.publish({.key = "dsmem.latency_quantiles",
                   .value = quantiles(sizes),
                   .method = "dependent-loads-difference",
                   .confidence = confidence::hopper::measured,
                   .samples = pairs,
                   .evidence = curve});
}

}  // namespace tomograph::dsmem
