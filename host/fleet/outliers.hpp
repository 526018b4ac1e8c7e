#ifndef TOMOGRAPH_HOST_FLEET_OUTLIERS_HPP
#define TOMOGRAPH_HOST_FLEET_OUTLIERS_HPP

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

/// Which numbers of a sample do not belong to the rest. Pure functions.
namespace tomograph::host {

/// Centre and spread of a sample, little moved by outliers.
struct RobustScale {
  double median = 0;
  /// 1.4826 times the median absolute deviation, the standard deviation of normal values. Where more than half of the
  /// values are equal, 1.2533 times the mean absolute deviation instead (Iglewicz and Hoaglin 1993).
  double spread = 0;
};
/// `sample` is not empty.
[[nodiscard]] RobustScale robust_scale(std::span<const double> sample);

/// At most this share of a sample can be outliers; more are another kind.
inline constexpr double most_outliers = 0.25;

/// The generalized ESD test for several outliers (Rosner, "Percentage Points for a Generalized ESD Many-Outlier
/// Procedure", Technometrics 25, 1983): values are removed one by one, always the farthest from the mean of the rest.
/// All up to the last whose distance in standard deviations is beyond its critical value are outliers. Each step is
/// Grubbs' test of what remains. Rosner gives each step the whole rate, which then is exceeded below 25 values; here
/// step i has 1 / (i (i + 1)) of it, which sums to one, so that the rate holds for any number of normal values.
class OutlierTest {
 public:
  /// `false_alarm_rate`: probability that a sample of normal values has an outlier.
  explicit OutlierTest(double false_alarm_rate) : rate_(false_alarm_rate) {}

  /// Positions of the outliers, the farthest first. Empty for fewer than three values.
  [[nodiscard]] std::vector<std::size_t> outliers(std::span<const double> sample);

 private:
  /// Rosner's lambda for the farthest of `remaining` values in a step, counted from 1.
  [[nodiscard]] double critical_distance(std::size_t remaining, std::size_t step);

  double rate_;
  std::map<std::pair<std::size_t, std::size_t>, double> critical_;  ///< what was computed before
};

}  // namespace tomograph::host

#endif
