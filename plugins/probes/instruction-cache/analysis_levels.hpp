#ifndef TOMOGRAPH_INSTRUCTION_CACHE_ANALYSIS_LEVELS_HPP
#define TOMOGRAPH_INSTRUCTION_CACHE_ANALYSIS_LEVELS_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Levels of instruction cache from the latencies of walks of growing length. Pure functions.
namespace tomograph::instruction_cache {

/// Latencies of the blocks of walks that go through `bytes` of code.
struct Footprint {
  std::int64_t bytes = 0;
  std::vector<double> latencies;
};

/// A level of cache, and the level behind it, which serves its misses.
struct Level {
  double latency = 0;         ///< median where everything fits
  double behind = 0;          ///< median of the level behind
  std::int64_t size = 0;      ///< footprint of which half misses: with a hashed index and LRU, the capacity
  std::int64_t all_fit = 0;   ///< the largest footprint of which at most 1 % misses
  std::int64_t none_fit = 0;  ///< the smallest footprint from which on at most 1 % hits

  [[nodiscard]] double penalty() const { return behind - latency; }
};

/// A footprint is on a plateau if three fifths of its latencies are within a tenth of their median. Two or more
/// neighbouring footprints whose medians are within a tenth of each other form one plateau. Each plateau but the last
/// is a level; between two plateaus, the middle between them separates hits from misses. `footprints` ascend. Nothing
/// if there are fewer than two plateaus, if latency falls, or if the walks end on no plateau: then it is open what
/// serves the misses of the last level.
[[nodiscard]] std::vector<Level> find_levels(std::span<const Footprint> footprints);

/// Whether L2 serves the misses of the last level, as names need: a fetch from L2 takes at least half of a load from
/// it. Otherwise a level may be larger than the longest walk.
[[nodiscard]] bool ends_in_l2(std::span<const Level> levels, double l2_latency);

/// The prefixes of the keys of so many levels, from the one nearest to the pipelines. Three levels have names; a single
/// one is called L1.
[[nodiscard]] std::vector<std::string> names_of(std::size_t levels);

/// Whether the block right before a fetched one hits, by the place of the fetched block. `medians` are the latencies of
/// a block by place, for each place of the fetched block; `penalty` is that of a miss.
[[nodiscard]] std::vector<bool> found_before(std::span<const double> medians, double penalty);

/// Blocks of 128 B in a line, from whether the block right before a fetched one hits, by the place of the fetched block
/// in 1 KiB: it hits only if both are in the same line. Prefetching does not matter, unless it reaches from one fetched
/// block to the next, 1 KiB further on. Nothing if no line of 128 B to 1 KiB explains the hits.
[[nodiscard]] std::optional<std::int64_t> line_blocks(const std::vector<bool>& found_before);

}  // namespace tomograph::instruction_cache

#endif
