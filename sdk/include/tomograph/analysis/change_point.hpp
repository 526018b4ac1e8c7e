#ifndef TOMOGRAPH_ANALYSIS_CHANGE_POINT_HPP
#define TOMOGRAPH_ANALYSIS_CHANGE_POINT_HPP

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

/// Change-point detection as in Größler 2022, section 3.3: a latency sample per array size is reduced to one number
/// (3.3.2), the most likely change point of the series is estimated (3.3.3) and tested (3.3.4).
namespace tomograph::analysis {

/// Euclidean distance of `sample` from the reference vector (1, ..., 1).
[[nodiscard]] double distance_to_ones(std::span<const double> sample);

/// distance_to_ones of each sample. The distance depends on the number of loads, so samples must be of one length.
/// @throws std::invalid_argument if they are not.
[[nodiscard]] std::vector<double> reduce(std::span<const std::vector<double>> samples);

/// Eq. 3.1 (Opt with one change point): the index i > 0 for which cost(0, i-1) + cost(i, n-1) is least, where the
/// cost of a segment is the sum of squared deviations from its empirical mean. `i` is the first value after the
/// change; of equals, the first. The printed Algorithm 1 stops at T-1 and so never sees the last value; this follows
/// Eq. 3.1 over all of them, in O(n) by prefix sums. Nothing for fewer than two values.
[[nodiscard]] std::optional<std::size_t> most_likely_change(std::span<const double> series);

/// Eq. 3.2: the largest distance between the empirical distribution functions of two samples.
/// @throws std::invalid_argument if one is empty.
[[nodiscard]] double kolmogorov_smirnov_statistic(std::span<const double> a, std::span<const double> b);

/// Eq. 3.3: sqrt(-1/2 (n + m) / (n m) log(alpha / 2)). (The thesis prints it without the minus sign, which would be
/// the root of a negative number.) @throws std::invalid_argument unless n, m > 0 and 0 < alpha < 1.
[[nodiscard]] double kolmogorov_smirnov_critical(std::size_t n, std::size_t m, double alpha);

/// A change point and the verdict about it.
struct ChangePoint {
  std::size_t index = 0;  ///< of the first value after the change
  double statistic = 0;   ///< D, Eq. 3.2
  double critical = 0;    ///< d_alpha, Eq. 3.3
  bool accepted = false;  ///< D > d_alpha
};

/// The whole procedure on a reduced series, alpha as published. Nothing for fewer than two values.
/// A series shorter than about 16 values cannot be accepted at alpha = 0.05 unless the change is near its middle.
[[nodiscard]] std::optional<ChangePoint> find_change_point(std::span<const double> series, double alpha = 0.05);

}  // namespace tomograph::analysis

#endif
