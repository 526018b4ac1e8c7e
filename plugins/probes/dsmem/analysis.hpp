#ifndef TOMOGRAPH_DSMEM_ANALYSIS_HPP
#define TOMOGRAPH_DSMEM_ANALYSIS_HPP

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "experiments.hpp"
#include "tomograph/session/fact.hpp"

/// From what kernels counted to what is said about the network between SMs. No device, no I/O.
namespace tomograph::dsmem {

/// The largest size of which there are clusters whose every CTA saw that size; 0 if there is none but single CTAs.
/// `answers` has one entry per size, from `first_size` on.
[[nodiscard]] std::int64_t largest_cluster(std::int64_t first_size, std::span<const ClustersAnswer> answers);

/// Latencies of one cluster size, in cycles, by who reads whose memory.
struct PairLatencies {
  std::vector<double> own;
  std::vector<double> neighbour;  ///< the CTA before or after
  std::vector<double> other;      ///< all but the own, neighbours included
};
/// @throws std::invalid_argument if there are not size^2 latencies for each cluster.
[[nodiscard]] PairLatencies sort_pairs(std::int64_t size, std::span<const double> cycles);

/// A value seen in several trials.
struct Seen {
  double value = 0;  ///< median
  Interval interval{};
  std::size_t trials = 0;
};
/// Interquartile mean of repeated trials. The interval covers three times their range, as nearly all repetitions of so
/// few trials will be within, and `resolution`, a share of the value.
[[nodiscard]] Seen summarize(std::span<const double> trials, double resolution);

/// Two runs of the same accesses, of which one is longer.
struct Runs {
  std::int64_t short_passes = 0;
  std::int64_t long_passes = 0;
  ThroughputAnswer brief;
  ThroughputAnswer extended;
};
/// Bytes per cycle of an SM that accesses others, and bytes per second of all of them: from the difference of two
/// lengths, which what happens once in a kernel does not change. SMs of one pattern may get unlike shares, between
/// which a median lies anywhere: the mean time counts. 0 where the longer run was no longer.
[[nodiscard]] double bytes_per_cycle(const Runs& runs);
[[nodiscard]] double bytes_per_second(const Runs& runs);

}  // namespace tomograph::dsmem

#endif
