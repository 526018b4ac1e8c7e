#ifndef TOMOGRAPH_L2_SLICES_FINDINGS_HPP
#define TOMOGRAPH_L2_SLICES_FINDINGS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis_clusters.hpp"
#include "analysis_contention.hpp"
#include "analysis_function.hpp"

namespace tomograph::l2_slices {

/// What both methods found, before anything is published.
struct Findings {
  std::int64_t line_size = 0;
  std::vector<std::int64_t> sample = {};        ///< lines that all SMs timed
  Clusters clusters = {};                       ///< of these lines
  std::vector<SliceSearch::Slice> slices = {};  ///< by contention, within clusters
  Threshold threshold = {};                     ///< of rates
  std::vector<double> single_rates = {};        ///< of a line of each cluster
  std::vector<double> pair_rates = {};          ///< of lines of one cluster
  std::vector<double> slice_pair_rates = {};    ///< of lines of two slices
  std::vector<double> atomic_rates = {};        ///< of a few lines of each slice, additions per cycle
  std::size_t stray_lines = 0;                  ///< that latencies put into the cluster of another slice
  std::vector<double> group_rates = {};         ///< of one line of each group of `sharing()`, if there are partitions
  std::vector<std::vector<double>> partition_rates = {};  ///< the same from the SMs of each partition alone
  std::vector<int> page_clusters = {};                    ///< cluster of each line of the first page
  std::size_t page_sms = 0;                               ///< SMs that timed these
  std::vector<LinesOfPage> other_pages = {};

  [[nodiscard]] Sharing sharing() const { return sharing_of(slices.size(), slice_pair_rates, threshold); }
};

/// Leaves out "slices" that are stray lines: they slow slices of another cluster, more than slow each other elsewhere,
/// and are so few that a slice has no more by chance with a probability of `false_alarm` in all.
[[nodiscard]] Findings without_strays(Findings findings);

/// Why latencies show no clusters, or nothing. A few lines may belong to none, unless chance leaves as few to a slice
/// with a probability of `false_alarm`.
[[nodiscard]] std::optional<std::string> doubt_about_clusters(const Findings& findings);
/// Why contention and latencies contradict each other, or nothing. They agree if each line slows another one of its
/// cluster, lines spread over clusters as slices do, and no two slices slow each other. Where L2 keeps copies, a line
/// passes through one slice of each partition: then as many slices slow each other as there are partitions, each of
/// them home to other lines, and the SMs of one partition reach that part of the rate of all.
[[nodiscard]] std::optional<std::string> disagreement(const Findings& findings);
/// Slices that there are at least, where both methods contradict each other: clusters that latencies surely tell apart,
/// but no more than contention does. Lines of one slice may be near and far.
[[nodiscard]] std::size_t least_slices(const Findings& findings, const SureClusters& sure);
/// Loads per cycle that single slices answer to all SMs. A line of which each partition keeps a copy has as many slices
/// as there are partitions.
[[nodiscard]] std::vector<double> rates_of_a_slice(const Findings& findings);
/// How lines of the first page choose slices, over clusters that latencies surely tell apart. `by_contention` tells
/// whether the slices that contention found are used.
[[nodiscard]] FoundFunction slice_function_of(const Findings& findings, const SureClusters& sure, bool by_contention);
/// Probability that chance made the number of slices wrong.
[[nodiscard]] double error_of(const Findings& findings);

}  // namespace tomograph::l2_slices

#endif
