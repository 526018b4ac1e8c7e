#include "analysis_size.hpp"

#include <algorithm>
#include <cmath>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::data_cache {

namespace {

/// By how much the variance exceeds that of sampling; 1 if that explains the scatter.
double excess(double scatter, std::int64_t degrees) {
  return degrees == 0 ? 1 : std::max(1.0, scatter / static_cast<double>(degrees));
}

double excess_of_all(std::span<const Saturation> seen) {
  double scatter = 0;
  std::int64_t degrees = 0;
  for (const Saturation& one : seen) {
    scatter += one.full.scatter;
    degrees += one.full.degrees;
  }
  return excess(scatter, degrees);
}

/// What the mean may be off. Its error holds the scatter of its own few places, which can be less than that of all.
double margin(const cache::RetainedBytes& bytes, double excess_of_all) {
  constexpr double errors = 3;  // cover 99.7 % of normal errors
  return errors * bytes.error * std::sqrt(std::max(1.0, excess_of_all / excess(bytes.scatter, bytes.degrees)));
}

Capacity usable_capacity(const Saturation& seen, double excess_of_all, std::int64_t line_bytes) {
  const double error = margin(seen.full, excess_of_all);
  const double low = std::min(seen.at_knee.mean - margin(seen.at_knee, excess_of_all), seen.full.mean - error);
  return {whole_lines(seen.full.mean, line_bytes), {low, seen.full.mean + error}};
}

}  // namespace

std::int64_t whole_lines(double bytes, std::int64_t line_bytes) {
  return std::llround(bytes / static_cast<double>(line_bytes)) * line_bytes;
}

bool fill_by_chance(std::span<const Saturation> seen) {
  // Of sets of eight ways, filled by chance, 0.86 are filled at the knee and 0.98 by 1.5 times as many lines. Sets that
  // fill evenly are full at both. The limit lies halfway.
  constexpr double limit = (0.86 / 0.98 + 1) / 2;
  std::vector<double> kept;
  for (const Saturation& one : seen) kept.push_back(one.at_knee.mean / one.full.mean);
  return !kept.empty() && analysis::median(kept) < limit;
}

std::vector<Capacity> usable_capacities(std::span<const Saturation> seen, std::int64_t line_bytes) {
  const double all = excess_of_all(seen);
  std::vector<Capacity> capacities;
  for (const Saturation& one : seen) capacities.push_back(usable_capacity(one, all, line_bytes));
  return capacities;
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
