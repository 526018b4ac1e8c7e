#include "latency_table.hpp"

#include <algorithm>
#include <cmath>

namespace tomograph::l2_slices {

namespace {

/// Variance of what rounding to whole numbers adds: 1/12.
constexpr double rounding_variance = 1.0 / 12;
/// Latencies from all SMs of so many lines stay in the nearest cache.
constexpr std::size_t lines_at_once = 16;

}  // namespace

LatencyTable::LatencyTable(std::span<const std::uint32_t> cycles, std::span<const double> noise)
    : lines_(cycles.size() / noise.size()), cycles_(cycles.size()) {
  for (const double one : noise) noise_.push_back(std::sqrt(one * one + rounding_variance));
  for (std::size_t first = 0; first < lines_; first += lines_at_once) {
    const std::size_t end = std::min(first + lines_at_once, lines_);
    for (std::size_t sm = 0; sm < noise.size(); ++sm) {
      for (std::size_t line = first; line < end; ++line) {
        cycles_[line * noise.size() + sm] = static_cast<float>(cycles[sm * lines_ + line]);
      }
    }
  }
}

void LatencyTable::replace(std::size_t line, const LatencyTable& other, std::size_t from) {
  std::ranges::copy(other[from], cycles_.begin() + static_cast<std::ptrdiff_t>(line * sms()));
}

}  // namespace tomograph::l2_slices
