#ifndef TOMOGRAPH_ANALYSIS_CHANGE_POINT_HPP
#define TOMOGRAPH_ANALYSIS_CHANGE_POINT_HPP

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

/// Change-point detection as in Größler 2022, section 3.3: the latencies of each array size are reduced to one number
/// (3.3.2), the most likely change point of the series is estimated (3.3.3), and a test accepts or rejects it (3.3.4).
namespace tomograph::analysis {

/// Euclidean distance of `sample` from the vector (1, ..., 1), in the unit of the sample.
[[nodiscard]] double distance_to_ones(std::span<const double> sample);

/// distance_to_ones of each sample. The distance grows with the number of loads, so all samples need the same length.
/// @throws std::invalid_argument if lengths differ.
[[nodiscard]] std::vector<double> reduce(std::span<const std::vector<double>> samples);

/// Index of the first value after the change (Eq. 3.1, Opt with one change point): the i > 0 that minimizes
/// cost(0, i-1) + cost(i, n-1), where the cost of a segment is the sum of squared deviations from its mean. Among equal
/// minima, the first. Nothing for fewer than two values. O(n).
/// The printed Algorithm 1 stops at T-1 and never considers the last value; this follows Eq. 3.1 over all values.
[[nodiscard]] std::optional<std::size_t> most_likely_change(std::span<const double> series);

/// Largest distance between the empirical distribution functions of two samples (Eq. 3.2), within [0, 1].
/// @throws std::invalid_argument if a sample is empty.
[[nodiscard]] double kolmogorov_smirnov_statistic(std::span<const double> a, std::span<const double> b);

/// Value that the statistic of two samples of n and m values of the same distribution exceeds with a probability of at
/// most about `alpha` (Eq. 3.3): sqrt(-1/2 (n + m) / (n m) log(alpha / 2)). The thesis prints the equation without its
/// minus sign. @throws std::invalid_argument unless n, m > 0 and 0 < alpha < 1.
[[nodiscard]] double kolmogorov_smirnov_critical(std::size_t n, std::size_t m, double alpha);

/// A change point and the verdict about it.
struct ChangePoint {
  std::size_t index = 0;  ///< of the first value after the change
  double statistic = 0;   ///< Eq. 3.2
  double critical = 0;    ///< Eq. 3.3
  bool accepted = false;  ///< statistic > critical
};

/// Estimates and tests the change point of a reduced series. Nothing for fewer than two values.
///
/// False alarms: the published test ignores that the same data chose the split, so it accepts about a quarter of the
/// series of pure noise (64 normal values) at alpha = 0.05. Use it to confirm another method, not alone.
/// A series shorter than about 16 values is accepted at alpha = 0.05 only if the change is near its middle.
[[nodiscard]] std::optional<ChangePoint> find_change_point(std::span<const double> series, double alpha = 0.05);

}  // namespace tomograph::analysis

#endif
