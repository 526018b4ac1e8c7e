#include "analysis_latency.hpp"

#include <algorithm>
#include <stdexcept>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::dsmem {

namespace {

std::vector<double> all_pairs(std::span<const SizeLatencies> sizes, std::size_t trial, PairGroup group) {
  std::vector<double> all;
  for (const SizeLatencies& one : sizes) {
    const auto& own = one.trials[trial].*group;
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

}  // namespace

PairLatencies sort_pairs(std::int64_t size, std::span<const double> cycles) {
  const auto n = static_cast<std::size_t>(size);
  if (n == 0 || cycles.size() % (n * n) != 0) {
    throw std::invalid_argument("expected a latency for each pair of a cluster");
  }
  PairLatencies pairs;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    const std::size_t reader = i / n % n;
    const std::size_t target = i % n;
    if (reader == target) {
      pairs.own.push_back(cycles[i]);
      continue;
    }
    pairs.other.push_back(cycles[i]);
    if (reader + 1 == target || target + 1 == reader) pairs.neighbour.push_back(cycles[i]);
  }
  return pairs;
}

Estimate median_latency(std::span<const SizeLatencies> sizes, PairGroup group) {
  std::vector<double> medians;
  for (std::size_t trial = 0; trial < sizes.front().trials.size(); ++trial) {
    medians.push_back(analysis::median(all_pairs(sizes, trial, group)));
  }
  return summarize(medians, latency_resolution);
}

std::vector<std::pair<double, double>> latency_quantiles(std::span<const SizeLatencies> sizes) {
  std::vector<std::pair<double, double>> quantiles;
  for (const double share : {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99}) {
    std::vector<double> of_trials;
    for (std::size_t trial = 0; trial < sizes.front().trials.size(); ++trial) {
      of_trials.push_back(analysis::quantile(all_pairs(sizes, trial, &PairLatencies::other), share));
    }
    quantiles.emplace_back(share, std::ranges::min(of_trials));
  }
  return quantiles;
}

}  // namespace tomograph::dsmem
