#ifndef TOMOGRAPH_ANALYSIS_LATENCY_MODES_HPP
#define TOMOGRAPH_ANALYSIS_LATENCY_MODES_HPP

#include <optional>
#include <span>
#include <vector>

#include "tomograph/analysis/robust_statistics.hpp"

/// Clusters of latencies, and the threshold between hits and misses. Unit: cycles.
namespace tomograph::analysis {

/// One cluster of latencies.
struct Mode {
  double location = 0;  ///< median of its members
  double low = 0;       ///< 1 % quantile of its members
  double high = 0;      ///< 99 % quantile of its members
  double weight = 0;    ///< share of the whole sample
};

/// The finest structure that `modes` resolves. At latency x, anything finer than absolute + relative * x is jitter.
struct ModeResolution {
  double absolute = 3;       ///< cycles
  double relative = 0.02;    ///< jitter grows with the latency
  double min_weight = 0.01;  ///< clusters of a smaller share, or of fewer than two loads, are outliers
};

/// Values of separate clusters are so many resolutions apart. Kernels of two values at this distance leave a valley of
/// 2 exp(-2) = 0.27 of their peaks: below half.
inline constexpr double cluster_gap = 4;

/// The separate modes of `sample` in ascending order. Outliers belong to none, so weights add up to at most 1. An empty
/// sample has no modes. O(n log n). @throws std::invalid_argument for a resolution that is not positive.
///
/// Values are transformed to a scale in which the resolution is 1 everywhere. Values more than `cluster_gap` apart
/// there belong to separate clusters. Within a cluster, the Gaussian kernel density (Silverman 1986, Eq. 2.2a,
/// bandwidth 1) is examined: two neighbouring peaks are separate modes if the valley between them is below half of the
/// lower peak, and lower by at least 4 standard deviations of the difference. All other peaks merge, the least
/// significant first.
[[nodiscard]] std::vector<Mode> modes(std::span<const double> sample, const ModeResolution& resolution = {});

/// The boundary between hits and misses.
struct Threshold {
  double cycles = 0;      ///< latency above which a load counts as a miss
  double false_miss = 0;  ///< probability that a hit counts as a miss
  double false_hit = 0;   ///< probability that a miss counts as a hit
};

/// The threshold between a sample of (mostly) hits and one of (mostly) misses. Nothing if a sample is empty, or if more
/// than a share of `max_error` of one lies on the wrong side: they overlap.
///
/// Of all cuts whose summed error shares are within 1/200 of the least, the middle of the widest gap is taken. The
/// probabilities are (errors + 1/2) / (loads + 1), the mean under Jeffreys' prior, and never 0. Misses among the hits
/// count as errors, so the probabilities are upper bounds.
[[nodiscard]] std::optional<Threshold> threshold_between(std::span<const double> hits, std::span<const double> misses,
                                                         double max_error = 0.05);

}  // namespace tomograph::analysis

#endif
