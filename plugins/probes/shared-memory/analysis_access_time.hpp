#ifndef TOMOGRAPH_SHARED_MEMORY_ANALYSIS_ACCESS_TIME_HPP
#define TOMOGRAPH_SHARED_MEMORY_ANALYSIS_ACCESS_TIME_HPP

#include <cstddef>
#include <span>

/// How long an access to shared memory takes, from repetitions on many SMs. Pure functions.
namespace tomograph::shared_memory {

/// Cycles that one access of every stream takes.
struct AccessTime {
  double cycles = 0;  ///< median over SMs and trials
  double low = 0;     ///< the smallest and the largest of these
  double high = 0;
  double p95 = 0;
  double deviation = 0;  ///< standard deviation
  std::size_t samples = 0;
  double relative_ci = 0;  ///< half of the 99.9 % interval of the median, as a share of it
};

/// A time with a wider relative interval than this is not published: two runs would differ by more than is useful.
inline constexpr double useful_ci = 0.02;

/// @throws std::invalid_argument if there are no samples.
[[nodiscard]] AccessTime access_time(std::span<const double> cycles);

/// Whether there are enough samples, and their interval is below half of what is useful.
[[nodiscard]] bool is_precise(std::span<const double> cycles);

/// Probability that the median of the population is beyond all samples, on either side.
[[nodiscard]] double median_error(std::size_t samples);

}  // namespace tomograph::shared_memory

#endif
