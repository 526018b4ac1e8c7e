#ifndef TOMOGRAPH_INSTRUCTION_CACHE_LEVELS_HPP
#define TOMOGRAPH_INSTRUCTION_CACHE_LEVELS_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Levels of cache from the latencies of walks of growing length. No device, no I/O.
namespace tomograph::instruction_cache {

/// Latencies of the blocks of walks that go through `bytes` of code.
struct Footprint {
  std::int64_t bytes = 0;
  std::vector<double> latencies;
};

/// A level of cache, and what a miss costs that the level behind it answers.
struct Level {
  double latency = 0;         ///< median where everything fits
  double behind = 0;          ///< median of the level behind
  std::int64_t size = 0;      ///< footprint of which half is missed: of a hashed index and LRU, what the level holds
  std::int64_t all_fit = 0;   ///< the largest footprint of which at most 1 % is missed
  std::int64_t none_fit = 0;  ///< the smallest one from which on at most 1 % is found

  [[nodiscard]] double penalty() const { return behind - latency; }
};

/// A footprint is on a plateau if nine tenths of its latencies are within a tenth of their median. Neighbouring
/// footprints whose medians are within a tenth of each other are one plateau, which has two of them at least. Each
/// plateau but the last is a level. In between, latencies are told by the middle between two plateaus.
/// `footprints` ascend. Nothing where there are fewer than two plateaus, or latency falls.
[[nodiscard]] std::vector<Level> find_levels(std::span<const Footprint> footprints);

/// Blocks of 128 B in a line, from whether the block right before another one is found once that was fetched, by the
/// place of the fetched one in 1 KiB: only if it is in the same line. What is fetched ahead does not disturb, unless it
/// reaches from one fetched block to the next, 1 KiB on. Nothing where no line of 128 B to 1 KiB explains it.
[[nodiscard]] std::optional<std::int64_t> line_blocks(const std::vector<bool>& found_before);

}  // namespace tomograph::instruction_cache

#endif
