#ifndef TOMOGRAPH_SIM_CHASE_PREFETCH_HPP
#define TOMOGRAPH_SIM_CHASE_PREFETCH_HPP

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tomograph::sim {

/// Which lines of a program's footprint in the L2 lie behind which, for sequential prefetch. Each line is prefetched
/// once at most: from then on it is resident, or its set is full and stays so.
class Prefetch {
 public:
  /// For a program whose line n lies at positions[n] among the bytes that the program occupies and is at home in
  /// partition homes[n]; both must outlive the use. A load brings `size` bytes from its own line on, none beyond the
  /// end of its page, whose size is a power of two.
  void reset(std::span<const std::uint64_t> positions, std::span<const std::uint8_t> homes, std::uint64_t size,
             std::uint64_t page_size);
  /// For a program on a GPU without prefetch.
  void clear() { by_address_.clear(); }

  [[nodiscard]] bool empty() const { return by_address_.empty(); }

  /// Calls `bring` for each line that a load of `line` brings beside it and that was not brought before, in the order
  /// of their addresses: those at home in the same partition.
  template <typename Bring>
  void behind(std::uint32_t line, Bring bring) {
    const std::uint64_t start = positions_[line];
    const std::uint64_t end = std::min(start + size_, (start | (page_size_ - 1)) + 1);
    for (std::uint32_t rank = next(rank_[line]); rank < by_address_.size(); rank = next(rank)) {
      const std::uint32_t other = by_address_[rank];
      if (homes_[other] != homes_[line] || positions_[other] >= end) return;
      next_[rank] = rank + 1;
      if (other != line) bring(other);
    }
  }

 private:
  template <typename Digit>
  void sort_by(Digit digit);

  /// The first line at or behind `rank` that was not brought before; shortens the way for the next time.
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
  std::vector<std::uint32_t> next_;  ///< by rank, and one past the last: itself, or a later one to go on with
};

}  // namespace tomograph::sim

#endif
