#ifndef TOMOGRAPH_CONSTANT_CACHE_ANALYSIS_FOOTPRINT_HPP
#define TOMOGRAPH_CONSTANT_CACHE_ANALYSIS_FOOTPRINT_HPP

#include <cstdint>
#include <vector>

#include "analysis_missing_together.hpp"
#include "tomograph/cache/subject.hpp"

/// All constants that a program can have, in several arrays where one cannot be as large as that. Where arrays lie
/// relative to each other is not known and never used.
namespace tomograph::constant_cache {

/// The level before a footprint serves nothing of it if so many times as many of its lines are loaded as that level
/// has. LRU needs one more than it has; random replacement leaves 1 in 50 of four times as many. Chosen by hand.
inline constexpr std::int64_t overflow_factor = 4;

/// The constants of a program in blocks of what one miss fetches, numbered through its arrays.
struct ConstantSpace {
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

/// What happened to a footprint in the walks after the cache had settled.
struct FootprintWalk {
  std::vector<LineState> states;  ///< of its blocks, in their order
  std::vector<double> latencies;  ///< net, of all timed loads
  /// Most blocks that this level served in one walk. No walk loads a block twice, so it held all of them when that walk
  /// began. Blocks that the level before served need not be here.
  std::int64_t held_at_once = 0;

  [[nodiscard]] std::int64_t missing() const;
};

/// The states of `blocks` blocks from the latencies of two walks over them, one after the other. A block misses if a
/// load of it was slow in both, or in one while the level before served the other.
[[nodiscard]] FootprintWalk walk_of(const cache::Subject& subject, std::size_t blocks, std::vector<double> latencies);

/// The blocks from 0 up to `count`.
[[nodiscard]] std::vector<std::int64_t> first_blocks(std::int64_t count);

}  // namespace tomograph::constant_cache

#endif
