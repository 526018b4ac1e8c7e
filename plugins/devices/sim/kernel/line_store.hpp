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
  struct Line {
    std::uint64_t address = ~std::uint64_t{0};
    std::uint32_t valid = 0;
    std::uint32_t modified = 0;
  };
  /// The lines of an address's set, that which was used last first.
  [[nodiscard]] std::span<Line> set_of(std::uint64_t address);

  SetFunction set_;
  std::vector<std::uint32_t> first_;  ///< of the lines of each set, and one past the last
  std::vector<Line> lines_;
};

}  // namespace tomograph::sim::timed

#endif
