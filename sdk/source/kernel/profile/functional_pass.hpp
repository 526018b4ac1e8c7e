#ifndef TOMOGRAPH_KERNEL_PROFILE_FUNCTIONAL_PASS_HPP
#define TOMOGRAPH_KERNEL_PROFILE_FUNCTIONAL_PASS_HPP

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tomograph/kernel/profile.hpp"

namespace tomograph::kernel {

/// What happened to the memory instructions at one position of the warps' lists, over all warps that have one there.
struct AccessCounts {
  double instructions = 0;
  double units = 0;        ///< distinct units of `miss_bytes`
  double misses = 0;       ///< of these units, those that the L1 did not serve
  double missing = 0;      ///< instructions with at least one such unit
  double latency_sum = 0;  ///< cycles until the last unit is there
};

struct FunctionalPass {
  std::vector<AccessCounts> accesses;  ///< by position
  /// Sums over the warps of the CTAs that start together, by part of their iterations.
  std::vector<WarpTraffic> first;
  std::int64_t first_warps = 0;
  WarpTraffic later;  ///< the sum over the warps of the CTAs that follow
  std::int64_t later_warps = 0;
  double longest_cycles = 0;  ///< of the warps of each CTA, summed over the CTAs
  double llc_misses = 0;
  /// Units by slice of the last level cache or by line.
  std::unordered_map<std::uint64_t, double> atomics;
  std::unordered_map<std::uint64_t, double> loads;  ///< where slices are known
  std::unordered_map<std::uint64_t, double> stores;

  /// Warps that have passed.
  [[nodiscard]] std::int64_t warps() const { return first_warps + later_warps; }
};

/// Adds `share` of `traffic`.
void add(WarpTraffic& sum, const WarpTraffic& traffic, double share);

/// The sum over all warps.
[[nodiscard]] WarpTraffic total(const FunctionalPass& pass);

/// Distinct units of `miss_bytes` that an instruction touches, in ascending order. `units` is overwritten.
void units_of(const Warp& warp, const Instruction& instruction, std::int64_t miss_bytes,
              std::vector<std::uint64_t>& units);

/// Whether it reads or writes memory.
[[nodiscard]] bool touches_memory(const Instruction& instruction);

[[nodiscard]] FunctionalPass functional_pass(const Trace& trace, const ProfiledMachine& machine,
                                             std::int64_t warm_passes, std::int64_t most_warps);

}  // namespace tomograph::kernel

#endif
