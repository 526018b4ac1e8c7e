#ifndef TOMOGRAPH_TENSOR_ANALYSIS_SURFACE_HPP
#define TOMOGRAPH_TENSOR_ANALYSIS_SURFACE_HPP

#include <cstdint>
#include <map>
#include <span>

#include "experiments.hpp"
#include "tomograph/fact.hpp"

/// What the times of products say.
namespace tomograph::tensor {

/// Products of one form at one occupancy and ILP. Two runs that differ only in their laps are subtracted, so that what
/// is before and after the loop does not count.
struct Point {
  Form form;
  std::int64_t warps = 1;
  std::int64_t ilp = 1;
  double cycles = 0;  ///< of an SM for a product, the median over SMs and trials
  double branch = 0;  ///< cycles of a product that the loop's branch adds at most
  Interval interval;  ///< of `cycles`, which covers the median with confidence::median_interval

  /// Operations per cycle of an SM.
  [[nodiscard]] double rate() const;
  [[nodiscard]] Interval rate_interval() const;
};

/// The point of pairs of runs with `few` and `many` products, which have the same form, occupancy and ILP. Each pair is
/// a trial. `products` is how many more an SM executes in the longer run.
/// @throws std::invalid_argument if there is no pair.
[[nodiscard]] Point point_of(Point setting, double products, std::span<const ProductsAnswer> few,
                             std::span<const ProductsAnswer> many);

/// The point of the highest rate, none if there are no points.
[[nodiscard]] const Point* fastest(std::span<const Point> points);

/// Whether half of the most warps reach the highest rate as well, so that more would not raise it.
[[nodiscard]] bool is_saturated(std::span<const Point> points);

/// By ILP: the fewest warps that reach `share` of the highest rate. An ILP that does not is left out.
[[nodiscard]] std::map<std::int64_t, std::int64_t> saturating_warps(std::span<const Point> points, double share);

}  // namespace tomograph::tensor

#endif
