#ifndef TOMOGRAPH_SIM_KERNEL_LINE_STORE_HPP
#define TOMOGRAPH_SIM_KERNEL_LINE_STORE_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "sim/chase/set_function.hpp"

namespace tomograph::sim::timed {

/// The lines of a cache while a kernel runs, by address, with LRU replacement. Sectors are bits of a mask.
class LineStore {
 public:
  /// Of the geometry that a description gives. Without ways, nothing is ever kept.
  LineStore(const Cache& cache, std::vector<std::int64_t> set_ways);

  /// Lets the processor fetch what it will need to use or fill a line.
  void prefetch(std::uint64_t address) const {
    if (plain_mask_ == 0 || lines_.empty()) return;
    const std::uint64_t set = address >> line_shift_ & plain_mask_;
    __builtin_prefetch(&lines_[set * most_ways_]);
    __builtin_prefetch(&lines_[(set + 1) * most_ways_ - 1]);
  }

  /// Those of `wanted` sectors of a line that are valid.
  [[nodiscard]] std::uint32_t valid(std::uint64_t address, std::uint32_t wanted);
  /// Uses a line. Returns those of `wanted` sectors that are valid.
  std::uint32_t use(std::uint64_t address, std::uint32_t wanted);

  /// What made room for a line: modified sectors that must be written back.
  struct Evicted {
    std::uint64_t address = 0;
    std::uint32_t modified = 0;
  };
  /// Makes sectors of a line valid, and modified if they are written.
  Evicted fill(std::uint64_t address, std::uint32_t sectors, bool written);

 private:
  /// The line's number, then the masks of its modified and of its valid sectors: a search reads whole sets.
  using Line = std::uint64_t;
  /// The lines of a set, from the one used last to the one used least recently.
  using Set = std::span<Line>;
  [[nodiscard]] Set set_of(std::uint64_t address);
  /// Without valid sectors.
  [[nodiscard]] Line line_of(std::uint64_t address) const { return address >> line_shift_ << 2 * sectors_; }
  /// The position of a line, or the last one if it is not there.
  [[nodiscard]] std::size_t find(Set set, Line line) const;
  [[nodiscard]] bool is_same(Line one, Line other) const { return ((one ^ other) & number_mask_) == 0; }
  /// The line used last, after it was at `position`.
  static Line& moved_to_front(Set set, std::size_t position);

  SetFunction set_;
  int line_shift_;
  int sectors_;  ///< of a line
  Line number_mask_;
  std::uint64_t plain_mask_;        ///< of the line's number, where that is the whole function; otherwise 0
  std::vector<std::int64_t> ways_;  ///< by set; empty if all have the most
  std::size_t most_ways_;
  std::vector<Line> lines_;  ///< by set; each has room for the most ways
};

}  // namespace tomograph::sim::timed

#endif
