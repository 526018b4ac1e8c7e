#include "analysis_size.hpp"

#include <algorithm>
#include <cmath>

namespace tomograph::data_cache {

Capacity usable_capacity(const Saturation& seen, std::int64_t line_bytes) {
  // Three standard errors to either side cover 99.7 % of normal errors.
  constexpr double errors = 3;
  const double high = seen.full.mean + errors * seen.full.error;
  const double low =
      std::min(seen.at_knee.mean - errors * seen.at_knee.error, seen.full.mean - errors * seen.full.error);
  const double lines = std::round(seen.full.mean / static_cast<double>(line_bytes));
  return {static_cast<std::int64_t>(lines) * line_bytes, {low, high}};
}

std::int64_t tests_for_capacity(std::int64_t bytes, std::int64_t line_bytes) {
  // Of a footprint twice the capacity half of the lines are retained. The standard error of the capacity is then
  // 1 / sqrt(tests) of it: 0.6 % at the most tests, sqrt(lines / 32) lines in a small cache.
  constexpr std::int64_t most_tests = 25'000;
  constexpr std::int64_t tests_per_line = 32;
  return std::min(most_tests, tests_per_line * bytes / line_bytes);
}

std::int64_t affordable_tests(std::int64_t tests, std::int64_t loads_of_row, std::int64_t rows) {
  // Half as many again as an H200 needs, in half a second.
  constexpr double most_loads = 64e6;
  const double share = most_loads / static_cast<double>(std::max<std::int64_t>(1, loads_of_row * rows));
  return std::max<std::int64_t>(1, std::llround(std::min(1.0, share) * static_cast<double>(tests)));
}

}  // namespace tomograph::data_cache
