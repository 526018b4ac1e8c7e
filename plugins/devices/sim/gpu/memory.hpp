#ifndef TOMOGRAPH_SIM_GPU_MEMORY_HPP
#define TOMOGRAPH_SIM_GPU_MEMORY_HPP

#include <cstdint>
#include <optional>
#include <string>

#include "sim/gpu/rules.hpp"

namespace tomograph::sim {

class Section;

/// What serves the misses of a slice of the L2.
struct MemoryChannel {
  std::int64_t banks = 16;
  std::int64_t row = 1024;           ///< bytes of a bank's row
  std::int64_t run = 1024;           ///< bytes of a row that lie side by side, a divisor of `row`
  std::int64_t conflict_cycles = 0;  ///< that the second of two loads of different rows of a bank waits
  std::int64_t open_row_cycles = 0;  ///< that a load of the row opened last in a bank saves; 0: loads close their rows
  std::int64_t refresh_period = 0;   ///< cycles
  std::int64_t refresh_cycles = 0;   ///< in each period, in which a bank serves no load
};

/// Device memory.
struct Dram {
  std::int64_t latency = 1;
  std::int64_t far_latency = 1;
  std::optional<std::int64_t> size;
  bool contiguous = false;  ///< pages that follow each other in a program do so in memory; else they lie at random
  std::optional<MemoryChannel> channel = {};
};

struct ConstantMemory {
  std::int64_t size = 65536;               ///< bytes of one program
  std::optional<std::int64_t> array = {};  ///< most bytes of one array; absent: all
};

/// The layout of two-dimensional arrays.
struct TextureMemory {
  /// Block-linear layout: letter i, 'x' or 'y', names the coordinate whose next bit is bit i of a texel's number within
  /// its block. Blocks are stored row by row.
  std::string texel_order;
};

/// The first broken rule of `channel`. Without it, memory answers so many cycles after the L2 would.
[[nodiscard]] Broken violation(const MemoryChannel& channel, std::int64_t extra_latency);
[[nodiscard]] Broken violation(const ConstantMemory& memory);

/// `partitions`: of the L2.
[[nodiscard]] Dram read_dram(const Section& section, std::int64_t partitions);
[[nodiscard]] ConstantMemory read_constant_memory(const Section& section);
[[nodiscard]] TextureMemory read_texture_memory(const Section& section);

}  // namespace tomograph::sim

#endif
