#ifndef TOMOGRAPH_CONSTANT_CACHE_FOOTPRINT_HPP
#define TOMOGRAPH_CONSTANT_CACHE_FOOTPRINT_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "missing_together.hpp"
#include "tomograph/cache/subject.hpp"

/// Walks through all constants that a program can have, in several arrays where one cannot be as large as that. Where
/// arrays lie to each other is not known and never used.
namespace tomograph::constant_cache {

/// So many times as many loads as the level before has lines leave it nothing to hold.
inline constexpr std::int64_t out_of_reach = 4;

/// The constants of a program in blocks of what one miss brings, numbered through its arrays.
struct Space {
  std::int64_t block_bytes = 0;
  std::int64_t blocks_per_array = 0;
  std::int64_t arrays = 1;
  /// Of the level before, or 0 where there is none. A footprint with few blocks is loaded in steps of what that level
  /// fetches at a time, so that it cannot hold all that is loaded.
  std::int64_t lines_before = 0;
  std::int64_t bytes_before = 0;
  std::int64_t fetched_before = 0;

  [[nodiscard]] std::int64_t blocks() const { return blocks_per_array * arrays; }
  /// Distance of the nodes in a footprint of so many blocks.
  [[nodiscard]] std::int64_t spacing(std::int64_t blocks_walked) const;
};

/// Arrays of the largest size that a program can have together, up to 8.
[[nodiscard]] std::int64_t arrays_together(const cache::Executor& execute, const cache::Subject& subject);

/// What became of a footprint when it was walked again and again.
struct Visit {
  std::vector<analysis::Fate> fates;  ///< of its blocks, in their order
  std::vector<double> latencies;      ///< net, of all timed loads

  [[nodiscard]] std::int64_t missing() const;
};

/// Walks each footprint, blocks of `space` in ascending order, until it has settled, and times two more walks. A block
/// is missing if it was slow in both, or in one while the level before served the other.
[[nodiscard]] std::vector<Visit> visit(const cache::Executor& execute, const cache::Subject& subject,
                                       const Space& space, std::span<const std::vector<std::int64_t>> footprints);

/// The blocks from 0 up to `count`.
[[nodiscard]] std::vector<std::int64_t> first_blocks(std::int64_t count);

}  // namespace tomograph::constant_cache

#endif
