#ifndef TOMOGRAPH_SIM_CHASE_PREFETCH_HPP
#define TOMOGRAPH_SIM_CHASE_PREFETCH_HPP

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tomograph::sim {

/// The order of a program's L2 lines by address, for sequential prefetch. Each line is prefetched at most once:
/// afterwards it is resident, or its set is full and stays full.
class Prefetch {
 public:
  /// Prepares for a program whose line n has position positions[n] and home partition homes[n]; both must outlive the
  /// run. A load prefetches `size` bytes from its own line on, but none beyond the end of its page.
  void reset(std::span<const std::uint64_t> positions, std::span<const std::uint8_t> homes, std::uint64_t size,
             std::uint64_t page_size);
  /// For a program on a GPU without prefetch.
  void clear() { by_address_.clear(); }

  [[nodiscard]] bool empty() const { return by_address_.empty(); }

  /// Calls `prefetch` for each line that a load of `line` prefetches and that was not prefetched before, in the order
  /// of addresses: lines of the same home partition.
  template <typename Bring>
  void following(std::uint32_t line, Bring prefetch) {
    const std::uint64_t start = positions_[line];
    const std::uint64_t end = std::min(start + size_, (start | (page_size_ - 1)) + 1);
    for (std::uint32_t rank = next(rank_[line]); rank < by_address_.size(); rank = next(rank)) {
      const std::uint32_t other = by_address_[rank];
      if (homes_[other] != homes_[line] || positions_[other] >= end) return;
      next_[rank] = rank + 1;
      if (other != line) prefetch(other);
    }
  }

 private:
  template <typename Digit>
  void sort_by(Digit digit);

  /// The first rank from `rank` on whose line was not prefetched before. Compresses the path for later calls.
  [[nodiscard]] std::uint32_t next(std::uint32_t rank) {
    while (next_[rank] != rank) {
      next_[rank] = next_[next_[rank]];
      rank = next_[rank];
    }
    return rank;
  }

  std::span<const std::uint64_t> positions_;
  std::span<const std::uint8_t> homes_;
  std::uint64_t size_ = 0;
  std::uint64_t page_size_ = 1;
  std::vector<std::uint32_t> by_address_;  ///< lines by home and position
  std::vector<std::uint32_t> sorted_;
  std::vector<std::uint32_t> rank_;  ///< of each line among them
  std::vector<std::uint32_t>
      next_;  ///< by rank, and one past the last: the rank itself, or a later one if its line was prefetched
};

}  // namespace tomograph::sim

#endif
