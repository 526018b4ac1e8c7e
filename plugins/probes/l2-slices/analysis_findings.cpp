#include <algorithm>
#include <cmath>
#include <map>

#include "findings.hpp"

namespace tomograph::l2_slices {

namespace {

/// A line in a thousand may be stray.
constexpr std::size_t lines_per_stray = 1000;
/// Scatter within clusters beyond that of repeats, as a variance, above which clusters are no property of the slices
/// alone.
constexpr double most_excess = 9;

std::string text(double value) { return std::to_string(std::lround(value)); }

/// Slices of each cluster.
std::vector<std::size_t> slices_by_cluster(const Findings& findings) {
  std::vector<std::size_t> counts(findings.clusters.centers.size());
  for (const auto& slice : findings.slices) ++counts[slice.cluster];
  return counts;
}

}  // namespace

std::optional<std::string> doubt_about_clusters(const Findings& findings) {
  const Clusters& clusters = findings.clusters;
  const std::size_t lines = clusters.of_line.size();
  if (clusters.centers.empty()) return "no two lines are equally far from all SMs";
  if (clusters.strays() * lines_per_stray > lines) {
    return std::to_string(clusters.strays()) + " of " + std::to_string(lines) + " lines belong to no cluster";
  }
  if (clusters.excess > most_excess) {
    return "latencies within clusters vary " + text(std::sqrt(clusters.excess)) + " times as much as repeats";
  }
  return std::nullopt;
}

std::optional<std::string> disagreement(const Findings& findings) {
  const auto lonely = std::ranges::count_if(findings.slices, [](const auto& slice) { return slice.lines.size() < 2; });
  if (lonely > 0) return std::to_string(lonely) + " lines slow no other line of their cluster";
  const auto shared =
      std::ranges::count_if(findings.slice_pair_rates, [&](double rate) { return rate < findings.threshold.rate; });
  if (shared > 0) {
    return std::to_string(shared) +
           " pairs of slices that latency or contention within clusters tells apart slow "
           "each other";
  }
  const auto counts = slices_by_cluster(findings);
  const auto populations = findings.clusters.populations();
  const double per_slice = static_cast<double>(findings.sample.size()) / static_cast<double>(findings.slices.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    // The count of a random sample has at most the deviation of a Poisson distribution.
    const double expected = per_slice * static_cast<double>(counts[i]);
    if (std::abs(static_cast<double>(populations[i]) - expected) <= per_slice / 2 + 4 * std::sqrt(expected)) continue;
    return "a cluster of " + std::to_string(counts[i]) + " slices holds " + std::to_string(populations[i]) +
           " lines, where " + text(expected) + " were expected";
  }
  return std::nullopt;
}

double error_of(const Findings& findings) {
  const auto tests = static_cast<double>(findings.pair_rates.size() + findings.slice_pair_rates.size());
  return false_alarm + std::min(1.0, tests * findings.threshold.error);
}

}  // namespace tomograph::l2_slices
