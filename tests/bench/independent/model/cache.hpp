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

  /// Whether the sector at `address` is valid. Its line then counts as used. After a miss, brings what that fetches,
  /// and what is prefetched with it.
  bool access(std::uint64_t address) { return access(address, set_of(address)); }
  /// The same, with the number of the address's set.
  bool access(std::uint64_t address, std::uint32_t set);
  /// Drops the line at `address`, if it is there.
  void drop(std::uint64_t address);
  /// Uses only so many ways of each set from now on. The cache must be empty.
  void limit_ways(std::uint32_t ways) { most_ways_ = ways; }
  /// Drops all lines. The state of the replacement stays, as in hardware.
  void invalidate();

  [[nodiscard]] std::uint32_t set_of(std::uint64_t address) const { return indexer_.set_of(address); }

 private:
  struct Line {
    std::uint64_t number = 0;   ///< of the line in memory
    std::uint32_t sectors = 0;  ///< bit i: sector i is valid
  };
  /// The lines [first, end).
  struct Set {
    std::uint32_t number;
    std::uint32_t first;
    std::uint32_t end;
  };

  [[nodiscard]] Set set_numbered(std::uint32_t number) const;
  /// The line of the set that holds `line_number`, or its end.
  [[nodiscard]] std::uint32_t find(const Set& set, std::uint64_t line_number) const;
  /// Makes the sectors valid; `line` is what `find` returned.
  void bring(const Set& set, std::uint32_t line, std::uint64_t line_number, std::uint32_t sectors);
  [[nodiscard]] std::uint32_t sector_bit(std::uint64_t address) const;
  [[nodiscard]] std::uint32_t fetched_sectors(std::uint64_t address) const;

  Indexer indexer_;
  Replacement replacement_;
  std::vector<std::uint32_t> first_of_set_;  ///< one more than sets
  /// Of each line a byte of a hash of its number, so that a search of ways reads little memory; 0: invalid.
  std::vector<std::uint8_t> fingerprints_;
  std::vector<Line> lines_;
  unsigned line_shift_;
  unsigned sector_shift_;
  unsigned fetch_shift_;
  int prefetched_lines_;
  std::uint32_t most_ways_ = ~std::uint32_t{0} >> 1;
};

}  // namespace independent

#endif
