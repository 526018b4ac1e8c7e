#ifndef TOMOGRAPH_SIM_GPU_PRIVATE_CACHE_HPP
#define TOMOGRAPH_SIM_GPU_PRIVATE_CACHE_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/gpu/cache.hpp"
#include "sim/gpu/sm_groups.hpp"
#include "tomograph/chase.hpp"

namespace tomograph::sim {

/// SRAM that a cache shares with shared memory. The cache gets what the carve-out and `reserved` leave of `sram`. The
/// number of sets is constant; if the lines do not divide evenly, the first sets have one way more.
struct Carveouts {
  std::int64_t sram = 0;
  std::vector<std::int64_t> shared_memory;  ///< selectable sizes, ascending
  std::vector<std::int64_t> reserved;       ///< bytes that neither gets, for each size
  std::int64_t default_size = 0;            ///< the size for programs that ask for none
  std::int64_t sets = 1;
  /// 0: follows from the SRAM as above. Otherwise every set has this many ways at every carve-out, and the SRAM limits
  /// the number of lines in the whole cache.
  std::int64_t ways = 0;
};

/// A cache between the load paths and the L2: part of an SM, or shared by a group of SMs.
struct PrivateCache {
  std::string name;
  Cache cache;  ///< set_ways is empty if there are carve-outs
  std::int64_t latency = 1;
  std::vector<chase::Path> paths;  ///< loads on these look here first
  bool virtually_tagged = true;
  std::optional<Carveouts> carveouts;
  std::string next;             ///< cache that serves misses; empty: the L2
  std::int64_t per_sm = 1;      ///< instances in an SM
  std::int64_t warp_block = 1;  ///< warp w uses instance w / warp_block % per_sm
  SmGroups shared_by;           ///< SMs that share an instance

  [[nodiscard]] std::size_t sets() const;
  /// The ways of each set at a carve-out of `shared_memory` bytes; set_ways if there are no carve-outs.
  [[nodiscard]] std::vector<std::int64_t> ways_beside(std::int64_t shared_memory) const;
  /// Most lines of the cache at this carve-out; without carve-outs, the sum of its ways.
  [[nodiscard]] std::int64_t lines_beside(std::int64_t shared_memory) const;
};

/// The first broken rule of the caches of a GPU, each by itself and together.
[[nodiscard]] Broken violation(const std::vector<PrivateCache>& caches, std::int64_t sm_count);

/// The tables under `cache`, by name.
[[nodiscard]] std::vector<PrivateCache> read_private_caches(const Section& description, std::int64_t sm_count);

}  // namespace tomograph::sim

#endif
