#ifndef TOMOGRAPH_SIM_KERNEL_LINE_STORE_HPP
#define TOMOGRAPH_SIM_KERNEL_LINE_STORE_HPP

#include <cstdint>
#include <vector>

#include "sim/chase/set_function.hpp"

namespace tomograph::sim::timed {

/// The lines of a cache while a kernel runs, by address, with LRU replacement. Sectors are bits of a mask.
class LineStore {
 public:
  /// Of the geometry that a description gives. Without ways, nothing is ever kept.
  LineStore(const Cache& cache, std::vector<std::int64_t> set_ways);

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
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};
  struct Line {
    std::uint64_t used = 0;  ///< number of its last use
    std::uint32_t valid = 0;
    std::uint32_t modified = 0;
  };
  /// Positions of lines.
  struct Set {
    std::uint32_t begin;
    std::uint32_t end;
  };
  [[nodiscard]] Set set_of(std::uint64_t address) const;
  /// The position of a line, or `nothing`.
  [[nodiscard]] std::uint32_t find(Set set, std::uint64_t address) const;
  [[nodiscard]] std::uint32_t oldest(Set set) const;

  SetFunction set_;
  int line_shift_;
  std::uint64_t plain_mask_;          ///< of the line's number, where that is the whole function; otherwise 0
  std::vector<std::uint32_t> first_;  ///< of the lines of each set, and one past the last
  std::vector<std::uint64_t> addresses_;
  std::vector<Line> lines_;
  std::uint64_t uses_ = 0;
};

}  // namespace tomograph::sim::timed

#endif
