#ifndef TOMOGRAPH_ANALYSIS_ROBUST_STATISTICS_HPP
#define TOMOGRAPH_ANALYSIS_ROBUST_STATISTICS_HPP

#include <span>

/// Location and spread that rare outliers (DRAM refresh, interrupts) do not move. Results have the unit of the sample,
/// whose order does not matter. Every function throws std::invalid_argument for an empty sample.
namespace tomograph::analysis {

/// The value below which a share `p` in [0, 1] of the sample lies, linear between order statistics
/// (Hyndman & Fan 1996, definition 7). @throws std::invalid_argument if `p` is outside [0, 1].
[[nodiscard]] double quantile(std::span<const double> sample, double p);

[[nodiscard]] double median(std::span<const double> sample);
/// The same of numbers that it may put into another order, without a copy: for many small samples.
[[nodiscard]] double median_in_place(std::span<double> sample);

/// Median of the distances to the median, not scaled: multiply by 1.4826 for the standard deviation of a normal.
[[nodiscard]] double median_absolute_deviation(std::span<const double> sample);

/// Mean of the sample without its `share` smallest and `share` largest values (counts rounded down).
/// @throws std::invalid_argument unless 0 <= share < 0.5.
[[nodiscard]] double trimmed_mean(std::span<const double> sample, double share);

/// Two order statistics that enclose the median of the population.
struct MedianInterval {
  double low = 0;
  double high = 0;
  /// Probability that they do, for any continuous distribution. Less than asked for if the sample is too small: then
  /// low and high are its extremes.
  double coverage = 0;
};

/// The narrowest symmetric pair of order statistics x(k), x(n+1-k) whose exact coverage
/// 1 - 2 P[Binomial(n, 1/2) < k] reaches `confidence` (David & Nagaraja 2003, Order Statistics, section 7.1).
/// @throws std::invalid_argument unless 0 < confidence < 1.
[[nodiscard]] MedianInterval median_interval(std::span<const double> sample, double confidence);

}  // namespace tomograph::analysis

#endif
