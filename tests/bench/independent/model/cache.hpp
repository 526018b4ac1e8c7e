#ifndef TOMOGRAPH_BENCH_INDEPENDENT_CACHE_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_CACHE_HPP

#include <algorithm>
#include <cstdint>
#include <vector>

#include "description.hpp"
#include "indexer.hpp"
#include "random.hpp"
#include "replacement.hpp"

namespace independent {

/// A cache with its contents. An access searches the ways of one set.
class Cache {
 public:
  Cache(const CacheDescription& description, std::uint64_t seed);

  /// Whether the sector at `address` is valid. The line then counts as used.
  bool lookup(std::uint64_t address);
  /// Brings what a miss at `address` fetches, and what is prefetched with it.
  void fill(std::uint64_t address);
  /// lookup() and, after a miss, fill().
  bool access(std::uint64_t address) {
    if (lookup(address)) return true;
    fill(address);
    return false;
  }
  /// Drops the line at `address`, if it is there.
  void drop(std::uint64_t address);
  /// Uses only so many ways of each set from now on. The cache must be empty.
  void limit_ways(std::uint32_t ways) { most_ways_ = ways; }
  /// Drops all lines. The state of the replacement stays, as in hardware.
  void invalidate();

  [[nodiscard]] std::uint32_t set_of(std::uint64_t address) const { return indexer_.set_of(address); }

 private:
  struct Line {
    std::uint64_t tag = 0;      ///< number of the line plus 1; 0: invalid
    std::uint32_t sectors = 0;  ///< bit i: sector i is valid
  };

  [[nodiscard]] std::uint32_t end_of(std::uint32_t set) const {
    return std::min(first_of_set_[set + 1], first_of_set_[set] + most_ways_);
  }
  void bring(std::uint64_t line, std::uint32_t sectors);
  [[nodiscard]] std::uint32_t sector_bit(std::uint64_t address) const;
  [[nodiscard]] std::uint32_t fetched_sectors(std::uint64_t address) const;

  Indexer indexer_;
  Replacement replacement_;
  std::vector<std::uint32_t> first_of_set_;  ///< one more than sets
  std::vector<Line> lines_;
  unsigned line_shift_;
  unsigned sector_shift_;
  unsigned fetch_shift_;
  int prefetched_lines_;
  std::uint32_t most_ways_ = ~std::uint32_t{0} >> 1;
};

}  // namespace independent

#endif
