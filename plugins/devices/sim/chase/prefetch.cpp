#include "sim/chase/prefetch.hpp"

#include <array>
#include <bit>
#include <functional>
#include <numeric>

namespace tomograph::sim {

/// Stable counting sort of the lines by one digit from 0 to 255.
template <typename Digit>
void Prefetch::sort_by(Digit digit) {
  std::array<std::uint32_t, 257> first{};
  for (const std::uint32_t line : by_address_) ++first[digit(line) + 1U];
  std::partial_sum(first.begin(), first.end(), first.begin());
  sorted_.resize(by_address_.size());
  for (const std::uint32_t line : by_address_) sorted_[first[digit(line)]++] = line;
  by_address_.swap(sorted_);
}

/// Radix sort: a comparison sort would take longer than the loads of a short program.
void Prefetch::reset(std::span<const std::uint64_t> positions, std::span<const std::uint8_t> homes, std::uint64_t size,
                     std::uint64_t page_size) {
  positions_ = positions;
  homes_ = homes;
  size_ = size;
  page_size_ = page_size;
  by_address_.resize(positions.size());
  std::iota(by_address_.begin(), by_address_.end(), 0U);
  const std::uint64_t bits = std::reduce(positions.begin(), positions.end(), std::uint64_t{0}, std::bit_or<>());
  for (int shift = std::countr_zero(bits); shift < static_cast<int>(std::bit_width(bits)); shift += 8) {
    sort_by([&](std::uint32_t line) { return positions[line] >> shift & 255; });
  }
  sort_by([&](std::uint32_t line) { return homes[line]; });
  rank_.resize(by_address_.size());
  for (std::uint32_t rank = 0; rank < by_address_.size(); ++rank) rank_[by_address_[rank]] = rank;
  next_.resize(by_address_.size() + 1);
  std::iota(next_.begin(), next_.end(), 0U);
}

}  // namespace tomograph::sim
