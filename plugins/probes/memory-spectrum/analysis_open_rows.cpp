#include "analysis_open_rows.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tomograph/analysis/scatter.hpp"

namespace tomograph::memory_spectrum {

namespace {

/// Standard errors of a difference: a normal deviate exceeds them once in 300,000 times, and so does one of the sizes
/// of blocks once in 40,000.
constexpr double surely = 4.5;
/// Of either kind of loads, so that the error of their mean is normal.
constexpr std::size_t fewest = 32;

double mean_of(std::span<const double> sample) {
  double sum = 0;
  for (const double one : sample) sum += one;
  return sum / static_cast<double>(sample.size());
}

double squared_error(std::span<const double> sample) {
  const double deviation = analysis::standard_deviation(sample);
  return deviation * deviation / static_cast<double>(sample.size());
}

/// By how many standard errors first loads of blocks take longer than later ones.
double difference(std::span<const double> cycles, std::span<const std::int64_t> blocks, std::int64_t size) {
  std::vector<double> first;
  std::vector<double> later;
  for (std::size_t i = 0; i < cycles.size(); ++i) (blocks[i] <= size ? later : first).push_back(cycles[i]);
  if (std::min(first.size(), later.size()) < fewest) return 0;
  const double error = std::sqrt(squared_error(first) + squared_error(later));
  return error > 0 ? (mean_of(first) - mean_of(later)) / error : 0;
}

}  // namespace

std::int64_t SeenBlocks::add(std::int64_t address) {
  Smallest& seen = seen_[address / largest_block];
  const auto own = static_cast<std::size_t>(address % largest_block / smallest_block);
  std::size_t blocks = 1;  // smallest ones in a block that holds the address
  const auto is_seen = [&] { return (seen >> (own / blocks * blocks) << (seen.size() - blocks)).any(); };
  while (blocks <= seen.size() && !is_seen()) blocks *= 2;
  seen.set(own);
  return static_cast<std::int64_t>(blocks) * smallest_block;
}

std::optional<std::int64_t> block_of_open_rows(std::span<const double> cycles, std::span<const std::int64_t> blocks) {
  std::optional<std::int64_t> found;
  double most = surely;
  for (std::int64_t size = smallest_block; size <= largest_block; size *= 2) {
    const double errors = difference(cycles, blocks, size);
    if (errors <= most) continue;
    most = errors;
    found = size;
  }
  return found;
}

}  // namespace tomograph::memory_spectrum
