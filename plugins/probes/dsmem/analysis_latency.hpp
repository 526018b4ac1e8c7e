#ifndef TOMOGRAPH_DSMEM_ANALYSIS_LATENCY_HPP
#define TOMOGRAPH_DSMEM_ANALYSIS_LATENCY_HPP

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analysis_trials.hpp"

namespace tomograph::dsmem {

/// Latencies of one cluster size, in cycles, by whose memory is read.
struct PairLatencies {
  std::vector<double> own;
  std::vector<double> neighbour;  ///< of the CTA before or after the reader
  std::vector<double> other;      ///< of every CTA but the reader, neighbours included
};
/// @throws std::invalid_argument unless `cycles` holds size^2 latencies for each cluster.
[[nodiscard]] PairLatencies sort_pairs(std::int64_t size, std::span<const double> cycles);

/// The latencies of one cluster size, trial by trial.
struct SizeLatencies {
  std::int64_t size = 0;
  std::vector<PairLatencies> trials;
};

using PairGroup = std::vector<double> PairLatencies::*;

/// The estimate from the median latency of a group of pairs in each trial, over all `sizes`. All sizes have the same
/// number of trials, at least one.
[[nodiscard]] Estimate median_latency(std::span<const SizeLatencies> sizes, PairGroup group);

/// Quantiles of the latencies over all pairs of different CTAs: share of the pairs, latency. Each is the smallest of
/// all trials, since another program may only lengthen it.
[[nodiscard]] std::vector<std::pair<double, double>> latency_quantiles(std::span<const SizeLatencies> sizes);

}  // namespace tomograph::dsmem

#endif
