#ifndef TOMOGRAPH_SIM_GPU_L2_HPP
#define TOMOGRAPH_SIM_GPU_L2_HPP

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/gpu/cache.hpp"
#include "sim/gpu/quotient_index.hpp"
#include "sim/gpu/slice_function.hpp"

namespace tomograph::sim {

/// The cache that all SMs share.
struct L2 {
  Cache cache;  ///< one partition
  std::int64_t latency = 1;
  std::int64_t far_latency = 1;
  std::int64_t partitions = 1;
  /// The home partition of a line is a number modulo `partitions`; bit i of the number is the parity of
  /// address & home_masks[i].
  std::vector<std::uint64_t> home_masks;
  std::vector<std::int64_t> sm_partition;  ///< partition of each SM; empty: blocks of equal size
  bool replicate = false;
  std::int64_t prefetch_size = 0;  ///< bytes that a load from DRAM fetches, starting at its own line; 0: no prefetch
  std::int64_t slices = 1;
  std::optional<SliceFunction> slice_function = {};  ///< absent: a hash
  /// Replaces the index of `cache`. Requires `slice_function`.
  std::optional<QuotientIndex> quotient_index = {};
  std::int64_t sm_latency_spread = 0;
  std::int64_t board = 0;  ///< boards of one kind differ in their distances from SMs to slices
};

[[nodiscard]] Broken violation(const L2& l2, std::int64_t sm_count);
[[nodiscard]] L2 read_l2(const Section& section);

}  // namespace tomograph::sim

#endif
