#include "tomograph/analysis/step_fit.hpp"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace tomograph::analysis {
namespace {

constexpr double parameters = 4;  // two levels, two breakpoints

/// Values that share one level.
struct Pool {
  double mean;
  double weight;
  std::size_t size;
};

/// Sums over points, from which the fit of any pair of breakpoints follows in constant time.
struct Sums {
  double n = 0, x = 0, xx = 0, y = 0, xy = 0;

  friend Sums operator-(const Sums& a, const Sums& b) {
    return {a.n - b.n, a.x - b.x, a.xx - b.xx, a.y - b.y, a.xy - b.xy};
  }
};

/// A least-squares fit for given breakpoints, in the order of the half grid.
struct Fit {
  std::size_t a = 0;
  std::size_t b = 0;
  double lower = 0;
  double upper = 0;
  double squares = std::numeric_limits<double>::infinity();
};

class Curve {
 public:
  Curve(std::span<const double> sizes, std::span<const double> levels)
      : origin_(sizes.front()), width_(sizes.back() - sizes.front()), sums_(sizes.size() + 1) {
    const auto n = static_cast<double>(levels.size());
    mean_ = std::accumulate(levels.begin(), levels.end(), 0.0) / n;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double x = (sizes[i] - origin_) / width_;
      const double y = levels[i] - mean_;
      const Sums& s = sums_[i];
      sums_[i + 1] = {s.n + 1, s.x + x, s.xx + x * x, s.y + y, s.xy + x * y};
      squares_ += y * y;
      if (i > 0) half_grid_.push_back(std::midpoint(half_grid_.back(), x));
      half_grid_.push_back(x);
    }
  }

  /// Breakpoints: the sizes and the middles between them.
  [[nodiscard]] std::size_t breakpoints() const { return half_grid_.size(); }
  /// Sum of squares around a constant level.
  [[nodiscard]] double squares() const { return squares_; }

  /// lower up to breakpoint a, upper from breakpoint b > a on, linear in between.
  [[nodiscard]] Fit fit(std::size_t a, std::size_t b) const {
    const double begin = half_grid_[a];
    const double length = half_grid_[b] - begin;
    const Sums before = sums_[a / 2 + 1];
    const Sums ramp = sums_[(b + 1) / 2] - before;
    const Sums after = sums_.back() - sums_[(b + 1) / 2];
    // r runs from 0 to 1 along the ramp; the model is lower (1 - r) + upper r.
    const double r = (ramp.x - ramp.n * begin) / length;
    const double rr = (ramp.xx - 2 * begin * ramp.x + ramp.n * begin * begin) / (length * length);
    const double ry = (ramp.xy - begin * ramp.y) / length;
    const double ll = before.n + ramp.n - 2 * r + rr;
    const double lu = r - rr;
    const double uu = after.n + rr;
    const double ly = before.y + ramp.y - ry;
    const double uy = after.y + ry;
    const double determinant = ll * uu - lu * lu;
    const double lower = (ly * uu - uy * lu) / determinant;
    const double upper = (uy * ll - ly * lu) / determinant;
    return {a, b, lower + mean_, upper + mean_, std::max(0.0, squares_ - lower * ly - upper * uy)};
  }

 private:
  double origin_;
  double width_;
  double mean_ = 0;
  double squares_ = 0;
  std::vector<Sums> sums_;
  std::vector<double> half_grid_;
};

template <typename Visit>
void for_each_fit(const Curve& curve, Visit visit) {
  for (std::size_t a = 0; a + 1 < curve.breakpoints(); ++a) {
    for (std::size_t b = a + 1; b < curve.breakpoints(); ++b) visit(curve.fit(a, b));
  }
}

/// F test of the fit, against a constant level, times the number of pairs of breakpoints.
double chance_of(const Fit& fit, const Curve& curve, double freedom) {
  constexpr double rounding = 1e-12;
  const double residual = std::max(fit.squares, rounding * curve.squares());
  const double f = (curve.squares() - residual) / (parameters - 1) / (residual / freedom);
  const boost::math::fisher_f_distribution<> null(parameters - 1, freedom);
  const auto breakpoints = static_cast<double>(curve.breakpoints());
  return std::min(1.0, boost::math::cdf(boost::math::complement(null, f)) * breakpoints * (breakpoints - 1) / 2);
}

void require_valid(std::span<const double> sizes, std::span<const double> levels, double confidence) {
  if (sizes.size() != levels.size()) throw std::invalid_argument("a curve needs one level per size");
  if (std::adjacent_find(sizes.begin(), sizes.end(), std::greater_equal<>()) != sizes.end())
    throw std::invalid_argument("the sizes of a curve must ascend");
  if (!(confidence > 0 && confidence < 1)) throw std::invalid_argument("a confidence must be within (0, 1)");
}

}  // namespace

std::vector<double> isotonic(std::span<const double> values, std::span<const double> weights) {
  if (!weights.empty() && weights.size() != values.size())
    throw std::invalid_argument("isotonic regression needs one weight per value or none");
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Pool pool{values[i], weights.empty() ? 1 : weights[i], 1};
    if (!(pool.weight > 0)) throw std::invalid_argument("weights must be positive");
    while (!pools.empty() && pools.back().mean >= pool.mean) {
      const Pool& left = pools.back();
      const double weight = left.weight + pool.weight;
      pool = {(left.mean * left.weight + pool.mean * pool.weight) / weight, weight, left.size + pool.size};
      pools.pop_back();
    }
    pools.push_back(pool);
  }
  std::vector<double> smooth;
  smooth.reserve(values.size());
  for (const Pool& pool : pools) smooth.insert(smooth.end(), pool.size, pool.mean);
  return smooth;
}

std::optional<StepFit> fit_step(std::span<const double> sizes, std::span<const double> levels, double confidence) {
  constexpr std::size_t least_points = 6;
  constexpr double straightness = 0.02;
  require_valid(sizes, levels, confidence);
  if (sizes.size() < least_points) return std::nullopt;
  const Curve curve(sizes, levels);
  Fit best;
  for_each_fit(curve, [&](const Fit& fit) {
    if (fit.squares < best.squares) best = fit;
  });
  const auto points = static_cast<double>(sizes.size());
  const double freedom = points - parameters;
  const double p_value = curve.squares() == 0 ? 1 : chance_of(best, curve, freedom);
  const double height = best.upper - best.lower;
  if (p_value > 1 - confidence || height <= 0) return std::nullopt;

  const double crooked = straightness * height;
  const double residual = std::max(best.squares, points * crooked * crooked);
  const boost::math::fisher_f_distribution<> ratio(parameters, freedom);
  const double most = best.squares + residual * parameters / freedom * boost::math::quantile(ratio, confidence);
  // In the half grid, breakpoint 2 i is sizes[i]; 2 i + 1 lies between it and the next.
  Fit first = best;
  Fit last = best;
  for_each_fit(curve, [&](const Fit& fit) {
    if (fit.squares > most) return;
    first.a = std::min(first.a, fit.a);
    first.b = std::min(first.b, fit.b);
    last.a = std::max(last.a, fit.a);
    last.b = std::max(last.b, fit.b);
  });
  StepFit step{best.lower, best.upper, {}, {}, std::sqrt(best.squares / freedom), p_value};
  step.knee = {sizes[first.a / 2], sizes[last.a / 2 + 1]};
  step.top = {sizes[(first.b - 1) / 2], sizes[(last.b + 1) / 2]};
  return step;
}

}  // namespace tomograph::analysis
