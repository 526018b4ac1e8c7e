#ifndef TOMOGRAPH_THROUGHPUT_ANALYSIS_PRECISION_HPP
#define TOMOGRAPH_THROUGHPUT_ANALYSIS_PRECISION_HPP

#include <cstdint>
#include <span>

/// How precisely repetitions determine a bandwidth. Pure functions.
namespace tomograph::throughput {

/// A bandwidth with a wider relative interval than this is not published: two runs would differ by more than is useful.
inline constexpr double useful_ci = 0.03;

/// Repetitions: at first 11, of which the extremes enclose the median with probability 0.999; then three times as many
/// until they are precise, and no more than the last.
inline constexpr std::int64_t first_repetitions = 11;
inline constexpr std::int64_t more_repetitions = 3;
inline constexpr std::int64_t most_repetitions = 297;

/// Half the width of the interval of the median, as a share of the median.
/// @throws std::invalid_argument if there are no values.
[[nodiscard]] double relative_ci(std::span<const double> values);

/// Whether the relative interval is at most half of what is useful.
[[nodiscard]] bool is_precise(std::span<const double> values);

}  // namespace tomograph::throughput

#endif
