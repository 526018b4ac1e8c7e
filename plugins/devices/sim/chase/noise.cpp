#include "sim/chase/noise.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "sim/experiment_noise.hpp"

namespace tomograph::sim {

namespace {

double standard_quantile(double probability) {
  return quantile(boost::math::normal_distribution<double>(), probability);
}

}  // namespace

Jitter::Jitter(const Noise& noise) : sigma_{noise.l1_sigma, noise.l2_sigma, noise.dram_sigma}, quantiles_{} {
  for (std::size_t i = 0; i < quantiles_[0].size(); ++i) {
    const double z = standard_quantile((static_cast<double>(i) + 0.5) / static_cast<double>(quantiles_[0].size()));
    for (std::size_t level = 0; level < level_count; ++level) {
      quantiles_[level][i] = static_cast<std::int16_t>(std::lround(sigma_[level] * z));
    }
  }
}

double Jitter::draw_sum(const std::array<std::uint64_t, level_count>& loads, Random& random) const {
  double variance = 0;
  for (std::size_t level = 0; level < level_count; ++level) {
    variance += sigma_[level] * sigma_[level] * static_cast<double>(loads[level]);
  }
  if (variance == 0) return 0;
  return std::round(std::sqrt(variance) * draw_normal(random));
}

RareEvents::RareEvents(double probability, Random& random)
    : log_of_none_(std::log1p(-probability)), distance_(draw_distance(random)) {}

std::uint64_t RareEvents::among(std::uint64_t loads, Random& random) {
  std::uint64_t count = 0;
  while (loads > distance_) {
    loads -= distance_ + 1;
    distance_ = draw_distance(random);
    ++count;
  }
  distance_ -= loads;
  return count;
}

std::uint64_t RareEvents::draw_distance(Random& random) const {
  constexpr auto never = std::numeric_limits<std::uint64_t>::max();
  if (log_of_none_ == 0) return never;
  const double distance = std::floor(std::log(1 - random.unit()) / log_of_none_);
  return distance < 1e18 ? static_cast<std::uint64_t>(distance) : never;
}

Outliers::Outliers(const Noise& noise, Random& random)
    : low_(static_cast<std::uint32_t>(noise.outlier_low)),
      width_(static_cast<std::uint32_t>(noise.outlier_high - noise.outlier_low) + 1),
      events_(noise.outlier_probability, random) {}

std::uint64_t Outliers::next_sum(std::uint64_t loads, Random& random) {
  std::uint64_t sum = 0;
  for (std::uint64_t count = events_.among(loads, random); count > 0; --count) sum += delay(random);
  return sum;
}

namespace {

/// Probability per load of leaving the nominal rate, such that the other rate lasts for its share of the time.
double leaving(const ClockSteps& steps) {
  return steps.share > 0 ? std::min(1.0, steps.share / (1 - steps.share) / steps.loads) : 0;
}

}  // namespace

Clock::Clock(const ClockSteps& steps, Random& random)
    : factor_(steps.factor),
      stepped_(random.unit() < steps.share),
      leave_(leaving(steps), random),
      return_(steps.share > 0 ? 1 / steps.loads : 0, random) {}

bool Clock::steps(Random& random) {
  if (!(stepped_ ? return_ : leave_).next(random)) return false;
  stepped_ = !stepped_;
  return true;
}

}  // namespace tomograph::sim
