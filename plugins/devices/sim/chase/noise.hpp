#ifndef TOMOGRAPH_SIM_CHASE_NOISE_HPP
#define TOMOGRAPH_SIM_CHASE_NOISE_HPP

#include <array>
#include <cstdint>

#include "sim/gpu/description.hpp"
#include "sim/random.hpp"

namespace tomograph::sim {

enum class Level : std::uint8_t { l1 = 0, l2 = 1, dram = 2 };
inline constexpr std::size_t level_count = 3;

/// The normal distribution of each level's jitter, rounded to cycles, as a table of its quantiles.
class Jitter {
 public:
  explicit Jitter(const Noise& noise);

  [[nodiscard]] std::int32_t draw(Level level, Random& random) const {
    return quantiles_[static_cast<std::size_t>(level)][random.next() >> (64 - quantile_bits)];
  }
  /// Jitter of a sum over `loads` of each level: variances add up.
  [[nodiscard]] double draw_sum(const std::array<std::uint64_t, level_count>& loads, Random& random) const;

 private:
  static constexpr int quantile_bits = 12;
  using Quantiles = std::array<std::int16_t, std::size_t{1} << quantile_bits>;

  std::array<double, level_count> sigma_;
  std::array<Quantiles, level_count> quantiles_;
};

/// Independent rare events of loads. Draws the geometrically distributed distance to the next event, so loads in
/// between cost nothing.
class RareEvents {
 public:
  RareEvents(double probability, Random& random);

  /// Whether the next load has an event.
  bool next(Random& random) {
    if (distance_-- != 0) return false;
    distance_ = draw_distance(random);
    return true;
  }
  /// Number of events among the next `loads` loads.
  std::uint64_t among(std::uint64_t loads, Random& random);

 private:
  [[nodiscard]] std::uint64_t draw_distance(Random& random) const;

  double log_of_none_;  ///< logarithm of the probability that a load has no event
  std::uint64_t distance_;
};

/// Rare long delays, e.g. by refresh or other clients.
class Outliers {
 public:
  Outliers(const Noise& noise, Random& random);

  /// Delay of the next load.
  std::uint32_t next(Random& random) { return events_.next(random) ? delay(random) : 0; }
  /// Sum of the delays of the next `loads` loads.
  std::uint64_t next_sum(std::uint64_t loads, Random& random);

 private:
  [[nodiscard]] std::uint32_t delay(Random& random) const { return low_ + random.below(width_); }

  std::uint32_t low_;
  std::uint32_t width_;
  RareEvents events_;
};

/// The rate of an SM's clock, which may change at any load.
class Clock {
 public:
  Clock(const ClockSteps& steps, Random& random);

  /// Advances by one load. Returns whether the rate changed.
  bool steps(Random& random);
  /// The present rate relative to the nominal one.
  [[nodiscard]] double rate() const { return stepped_ ? factor_ : 1; }

 private:
  double factor_;
  bool stepped_;
  RareEvents leave_;   ///< from the nominal rate
  RareEvents return_;  ///< to the nominal rate
};

}  // namespace tomograph::sim

#endif
