#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <cmath>
#include <utility>

#include "findings.hpp"

namespace tomograph::l2_slices {

namespace {

constexpr const char* no_two_apart = "latencies tell no two slices apart";

std::string text(double value) { return std::to_string(std::lround(value)); }

/// Slices of each cluster.
std::vector<std::size_t> slices_by_cluster(const Findings& findings) {
  std::vector<std::size_t> counts(findings.clusters.centers.size());
  for (const auto& slice : findings.slices) ++counts[slice.cluster];
  return counts;
}

/// Groups whose lines each partition serves by a slice of its own: all SMs load them faster than those of one partition
/// do. The threshold lies halfway, as a ratio, between one slice and as many as there are partitions.
std::size_t served_by_partitions(const Findings& findings) {
  const double least = std::sqrt(static_cast<double>(findings.partition_rates.size()));
  std::size_t count = 0;
  for (std::size_t group = 0; group < findings.group_rates.size(); ++group) {
    const bool faster = std::ranges::all_of(findings.partition_rates, [&](const auto& rates) {
      return findings.group_rates[group] > least * rates[group];
    });
    count += faster ? 1 : 0;
  }
  return count;
}

/// Why slices slow each other where they should not, or the other way round, or nothing.
std::optional<std::string> doubt_about_sharing(const Findings& findings) {
  const Sharing sharing = findings.sharing();
  const std::size_t groups = sharing.groups.size();
  if (sharing.contradictions > 0) return std::to_string(sharing.contradictions) + " pairs of slices slow each other";
  const std::size_t copied = served_by_partitions(findings);
  if (copied > 0 && copied < groups) {
    return "partitions serve lines of " + std::to_string(copied) + " of " + std::to_string(groups) +
           " groups of slices on their own";
  }
  const std::size_t expected = copied > 0 ? findings.partition_rates.size() : 1;
  const auto odd = std::ranges::count_if(sharing.groups, [&](const auto& group) { return group.size() != expected; });
  if (odd == 0) return std::nullopt;
  return std::to_string(odd) + " of " + std::to_string(groups) + " groups of slices that slow each other have not " +
         std::to_string(expected) + (expected > 1 ? " slices, one for each partition" : " slice");
}

/// Why clusters have not as many lines as their slices should, or nothing.
std::optional<std::string> doubt_about_populations(const Findings& findings) {
  const auto counts = slices_by_cluster(findings);
  const auto populations = findings.clusters.populations();
  const double per_slice = static_cast<double>(findings.sample.size()) / static_cast<double>(findings.slices.size());
  const double tail = false_alarm / static_cast<double>(2 * counts.size());
  const double deviations = quantile(complement(boost::math::normal(), tail));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    // The count of a random sample has at most the deviation of a Poisson distribution. Half a slice more or less
    // would still be the same number of slices.
    const double expected = per_slice * static_cast<double>(counts[i]);
    const double slack = per_slice / 2 + deviations * std::sqrt(expected);
    if (std::abs(static_cast<double>(populations[i]) - expected) <= slack) continue;
    return "a cluster of " + std::to_string(counts[i]) + " slices holds " + std::to_string(populations[i]) +
           " lines, where " + text(expected) + " were expected";
  }
  return std::nullopt;
}

/// Whether each slice is no slice but stray lines.
std::vector<bool> strays_of(const Findings& findings) {
  const std::size_t count = findings.slices.size();
  const Sharing sharing = findings.sharing();
  std::vector<bool> is_stray(count);
  if (sharing.groups.empty()) return is_stray;
  std::vector<std::size_t> sizes;
  for (const auto& group : sharing.groups) sizes.push_back(group.size());
  std::ranges::sort(sizes);
  const std::size_t usual = sizes[(sizes.size() - 1) / 2];
  const boost::math::poisson lines(static_cast<double>(findings.sample.size()) / static_cast<double>(count));
  for (const auto& group : sharing.groups) {
    std::size_t left = group.size();
    for (const std::size_t slice : group) {
      const auto population = static_cast<double>(findings.slices[slice].lines.size());
      is_stray[slice] = left > usual && cdf(lines, population) < false_alarm / static_cast<double>(count);
      if (is_stray[slice]) --left;
    }
  }
  return is_stray;
}

}  // namespace

Findings without_strays(Findings findings) {
  const std::vector<bool> is_stray = strays_of(findings);
  std::vector<SliceSearch::Slice> slices;
  std::vector<double> rates;
  for (std::size_t i = 0; i < is_stray.size(); ++i) {
    if (is_stray[i]) {
      findings.stray_lines += findings.slices[i].lines.size();
      continue;
    }
    slices.push_back(findings.slices[i]);
    for (std::size_t j = 0; j < i; ++j) {
      if (!is_stray[j]) rates.push_back(findings.slice_pair_rates[i * (i - 1) / 2 + j]);
    }
  }
  findings.slices = std::move(slices);
  findings.slice_pair_rates = std::move(rates);
  return findings;
}

std::optional<std::string> doubt_about_clusters(const Findings& findings) {
  const Clusters& clusters = findings.clusters;
  const std::size_t lines = clusters.of_line.size();
  if (clusters.centers.empty()) return "no two lines are equally far from all SMs";
  const auto count = static_cast<double>(clusters.centers.size());
  const boost::math::poisson of_slice(static_cast<double>(lines) / count);
  const std::size_t without = clusters.unclustered();
  if (without == 0 || cdf(of_slice, static_cast<double>(without)) < false_alarm / count) return std::nullopt;
  return std::to_string(without) + " of " + std::to_string(lines) + " lines belong to no cluster";
}

std::optional<std::string> disagreement(const Findings& findings) {
  if (findings.slices.empty()) return no_two_apart;
  const auto lonely = std::ranges::count_if(findings.slices, [](const auto& slice) { return slice.lines.size() < 2; });
  if (lonely > 0) return std::to_string(lonely) + " lines slow no other line of their cluster";
  if (auto why = doubt_about_sharing(findings)) return why;
  return doubt_about_populations(findings);
}

std::size_t least_slices(const Findings& findings, const SureClusters& sure) {
  const std::size_t groups = findings.sharing().groups.size();
  if (groups == 0) return sure.count;
  const std::size_t slices_of_group = served_by_partitions(findings) > 0 ? findings.partition_rates.size() : 1;
  return std::min(sure.count, groups * slices_of_group);
}

std::vector<double> rates_of_a_slice(const Findings& findings) {
  const std::size_t copied = served_by_partitions(findings);
  if (copied == 0) return findings.single_rates;
  std::vector<double> rates;
  const auto partitions = static_cast<double>(findings.partition_rates.size());
  for (const double rate : findings.group_rates) rates.push_back(rate / partitions);
  return rates;
}

FoundFunction slice_function_of(const Findings& findings, const SureClusters& sure, bool by_contention) {
  if (sure.count < 2 && !by_contention) return {.reason = no_two_apart};
  PageOfLines page;
  const auto sure_clusters = [&](std::vector<int> clusters) {
    for (int& cluster : clusters) {
      if (cluster != no_cluster) cluster = static_cast<int>(sure.of_cluster[static_cast<std::size_t>(cluster)]);
    }
    return clusters;
  };
  page.cluster = sure_clusters(findings.page_clusters);
  for (const LinesOfPage& other : findings.other_pages) {
    page.others.push_back({other.lines, sure_clusters(other.clusters)});
  }
  // Doubt may have moved the sample to another page, of whose place in memory nothing is known.
  const auto lines = std::ssize(page.cluster);
  const bool is_of_page = std::ranges::all_of(findings.sample, [&](std::int64_t line) { return line < lines; });
  if (!by_contention) return find_function(page);
  for (std::size_t slice = 0; slice < findings.slices.size(); ++slice) {
    page.cluster_of_slice.push_back(sure.of_cluster[findings.slices[slice].cluster]);
    if (!is_of_page) continue;
    for (const std::int64_t line : findings.slices[slice].lines) page.homes.push_back({line, slice});
  }
  return find_function(page);
}

double error_of(const Findings& findings) {
  const auto tests = static_cast<double>(findings.pair_rates.size() + findings.slice_pair_rates.size() +
                                         findings.group_rates.size() * findings.partition_rates.size());
  return false_alarm + std::min(1.0, tests * findings.threshold.error);
}

}  // namespace tomograph::l2_slices
