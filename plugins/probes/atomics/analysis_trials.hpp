#ifndef TOMOGRAPH_ATOMICS_ANALYSIS_TRIALS_HPP
#define TOMOGRAPH_ATOMICS_ANALYSIS_TRIALS_HPP

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "experiments.hpp"
#include "tomograph/fact.hpp"

/// What the times of trials say. Each trial is a pair of runs that differ only in their laps, and are subtracted, so
/// that what is before and after the loop does not count.
namespace tomograph::atomics {

/// The cycles of one dependent atomic, by CTA. Nothing if the longer run of a CTA took no longer than the shorter one.
[[nodiscard]] std::optional<std::vector<double>> chain_cycles(const LatencyRequest& request, const TimesAnswer& answer);

/// Operations of single threads per cycle: of the median SM if SMs do not use the same memory system, else of all SMs
/// together until the last one has ended. Nothing as for chains, or if the CTAs did not start together.
[[nodiscard]] std::optional<double> rate_of(const ThroughputRequest& request, const TimesAnswer& answer);

/// The definition of a value that is known: five trials that agree differ by at most this share of it.
inline constexpr double useful = 0.1;
/// Differences between two runs of a probe that the trials of one do not show, as a share of the value. Assumed, as by
/// dsmem.
inline constexpr double resolution = 0.01;

/// A value that several trials measured.
struct Estimate {
  double value = 0;  ///< mean of the middle half of the trials that agree
  Interval interval{};
  std::size_t trials = 0;  ///< that agree
};

/// The estimate of `values`, which are those of `trials` trials that had a result. The most that agree count: two of
/// five may be disturbed. The interval reaches beyond the smallest and the largest that count by their range and by
/// `resolution`. With five trials and normal noise of up to 3 %, it misses the true value in 1 % of simulations.
/// Nothing if not more than half of the trials agree.
[[nodiscard]] std::optional<Estimate> estimate_of(std::span<const double> values, std::size_t trials);

/// The latencies of SMs: their estimate, which is that of their medians, and how SMs differ.
struct Latency {
  Estimate median;
  std::vector<double> by_sm;  ///< the median over trials
};
/// Nothing as for `estimate_of`. @throws std::out_of_range if a trial has fewer SMs than the first.
[[nodiscard]] std::optional<Latency> latency_of(std::span<const std::vector<double>> valid, std::size_t trials);

/// Rates of one setting, trial by trial.
struct Point {
  ThroughputRequest setting;
  std::size_t trials = 0;
  std::vector<double> rates = {};  ///< of the trials that had a result

  [[nodiscard]] std::optional<Estimate> estimate() const { return estimate_of(rates, trials); }
  /// The rate of three trials in four. There must be rates.
  [[nodiscard]] double mostly_reached() const;
};

/// The highest rate of points that differ only in their warps: of those that mostly reach nearly as much as any, the
/// estimate with the most warps, where launches scatter least. Nothing if it has none, or a point has no rates.
struct Fastest {
  Estimate rate;
  std::int64_t warps = 0;
  bool rises = true;  ///< half of the most warps do not reach nearly the same rate: more warps may raise it
};
[[nodiscard]] std::optional<Fastest> fastest(std::span<const Point> points);

}  // namespace tomograph::atomics

#endif
