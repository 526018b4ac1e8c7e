#ifndef TOMOGRAPH_SIM_GPU_SHARED_MEMORY_HPP
#define TOMOGRAPH_SIM_GPU_SHARED_MEMORY_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/gpu/rules.hpp"

/// The shared memory of a simulated SM. schemas/simulated-gpu.schema.json defines every field under the same name.
namespace tomograph::sim {

class Section;

struct SharedMemory {
  std::int64_t size_per_sm = 0;
  std::int64_t size_per_block = 0;
  std::int64_t reserved_per_block = 0;
  std::int64_t max_warps = 64;
  std::int64_t max_ctas = 32;
  std::int64_t banks = 32;
  std::int64_t bank_width = 4;      ///< bytes that one bank delivers in a pass
  std::vector<std::int64_t> modes;  ///< selectable interleaves: consecutive bytes of one bank, the default first;
                                    ///< empty: bank_width only
  std::int64_t phase_lanes = 32;    ///< lanes of a warp that are served together
  std::int64_t latency = 1;
  double conflict_cycles = 1;  ///< extra latency of each pass after the first
  double pass_cycles = 1;      ///< for which a pass occupies the banks
  std::int64_t schedulers = 4;
  double issue_cycles = 1;  ///< between two accesses that one scheduler issues
  double sigma = 0;         ///< standard deviation of the cycles of one access

  /// Consecutive bytes of one bank in `mode`; 0 is the default mode. Nothing if there is no such mode.
  [[nodiscard]] std::optional<std::int64_t> interleave(std::int64_t mode) const;
};

/// Passes through the banks of one instruction whose lanes access `width` bytes at `offsets`. A group of lanes takes as
/// many passes as the largest number of rows that it touches in one bank; words of the same row are served together
/// (Mei & Chu 2017, section 6.2).
[[nodiscard]] std::int64_t passes(const SharedMemory& memory, std::int64_t interleave, std::int64_t width,
                                  std::span<const std::int64_t> offsets);

[[nodiscard]] SharedMemory read_shared_memory(const Section& section);

/// The first broken rule of `memory`, or nothing.
[[nodiscard]] Broken violation(const SharedMemory& memory);

}  // namespace tomograph::sim

#endif
