#ifndef TOMOGRAPH_ANALYSIS_LATENCY_MODES_HPP
#define TOMOGRAPH_ANALYSIS_LATENCY_MODES_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tomograph/analysis/robust_statistics.hpp"

/// Which latencies a sample of loads consists of, and where hits end and misses begin. Unit: cycles.
namespace tomograph::analysis {

/// One cluster of latencies.
struct Mode {
  double location = 0;  ///< median of its members
  double low = 0;       ///< 1 % quantile of its members
  double high = 0;      ///< 99 % quantile of its members
  double weight = 0;    ///< share of the whole sample
};

/// How finely `modes` looks. At latency x, structure finer than absolute + relative * x is jitter.
struct ModeResolution {
  double absolute = 3;       ///< cycles
  double relative = 0.02;    ///< jitter grows with the way through the hierarchy
  double min_weight = 0.01;  ///< groups with a smaller share, or of fewer than two loads, are outliers
};

/// The separate modes of `sample`, in ascending order. Outliers belong to none, so weights add up to at most 1.
///
/// Values are taken to a scale in which the resolution is 1 everywhere. Values more than 4 apart there are
/// separate groups. Within a group, two neighbouring peaks of the Gaussian kernel density (Silverman 1986,
/// Eq. 2.2a, bandwidth 1) are separate modes if the valley between them is below half of the lower peak and lower
/// by at least 4 standard deviations of the difference; else they merge, least significant first.
/// An empty sample has no modes. O(n log n). @throws std::invalid_argument for a resolution that is not positive.
[[nodiscard]] std::vector<Mode> modes(std::span<const double> sample, const ModeResolution& resolution = {});

/// Where hits end and misses begin.
struct Threshold {
  double cycles = 0;      ///< a load that takes longer is a miss
  double false_miss = 0;  ///< probability that a hit is called a miss
  double false_hit = 0;   ///< probability that a miss is called a hit
};

/// The threshold between two samples known to be mostly hits and mostly misses: of all cuts whose balanced error
/// is least (but for one stray value in 200), the middle of the widest gap. The probabilities are the shares of
/// each sample on the wrong side, (errors + 1/2) / (loads + 1), so never 0 (Jeffreys prior); stray misses among
/// the hits count as errors, so they are upper bounds.
/// Nothing if a sample is empty or more than a share of `max_error` of one lies on the wrong side: they overlap.
[[nodiscard]] std::optional<Threshold> threshold_between(std::span<const double> hits, std::span<const double> misses,
                                                         double max_error = 0.05);

}  // namespace tomograph::analysis

#endif
