#ifndef TOMOGRAPH_INSTRUCTION_CACHE_ACQUIRE_WALKS_HPP
#define TOMOGRAPH_INSTRUCTION_CACHE_ACQUIRE_WALKS_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "tomograph/session.hpp"

/// Walks through code: chases in instruction memory, where a node is a block of instructions.
namespace tomograph::instruction_cache {

inline constexpr std::int64_t block_bytes = 128;
/// Distance of the blocks of a far walk, so that prefetched code lies in between.
inline constexpr std::int64_t far_bytes = 1024;
/// All code that a walk can cover.
inline constexpr std::int64_t code_bytes = std::int64_t{256} * 1024;

/// Blocks of code in ascending order, one after the other or, with `far`, every eighth.
struct Blocks {
  std::int64_t start = 0;  ///< in bytes
  std::int64_t count = 0;
  bool far = false;
};

/// Laps over blocks, one after the other, of which the last one counts.
struct Walk {
  std::vector<Blocks> laps;
  std::int64_t trial = 0;
};

/// Several laps over the same blocks.
[[nodiscard]] Walk laps_over(const Blocks& blocks, std::size_t laps, std::int64_t trial);

/// A program that runs alone, because SMs share caches. Laps over the same blocks are one phase: the code that a device
/// executes between phases would take room in the smallest cache.
[[nodiscard]] chase::Program program_of(const Walk& walk);

/// Latencies of the blocks of each walk's last lap but the first one, in cycles from the beginning of the block before,
/// which includes the time of its instructions. @throws Skip if the device has no such walks, Refused.
[[nodiscard]] std::vector<std::vector<double>> time_walks(const Session& session, std::span<const Walk> walks);

}  // namespace tomograph::instruction_cache

#endif
