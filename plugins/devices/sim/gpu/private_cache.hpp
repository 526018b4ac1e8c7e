#ifndef TOMOGRAPH_SIM_GPU_PRIVATE_CACHE_HPP
#define TOMOGRAPH_SIM_GPU_PRIVATE_CACHE_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/gpu/cache.hpp"
#include "sim/gpu/sm_groups.hpp"
#include "tomograph/experiment/chase.hpp"

namespace tomograph::sim {

/// SRAM that a cache shares with shared memory. Usable for lines is what remains of `sram` after the
/// carve-out and `reserved`; it is dealt out to a constant number of sets, the first ones getting one way
/// more where it does not come out even.
struct Carveouts {
  std::int64_t sram = 0;
  std::vector<std::int64_t> shared_memory;  ///< selectable sizes, ascending
  std::vector<std::int64_t> reserved;       ///< bytes lost at each of them
  std::int64_t default_size = 0;            ///< the one in force where a program asks for none
  std::int64_t sets = 1;
  /// 0: dealt out as above. Else the ways of every set at every carve-out, tags for more lines than the SRAM may
  /// hold: what is usable then limits the lines of the cache as a whole.
  std::int64_t ways = 0;
};

/// A cache between the load paths and the L2: part of an SM, or shared by a group of SMs.
struct PrivateCache {
  std::string name;
  Cache cache;  ///< set_ways is empty where carve-outs decide
  std::int64_t latency = 1;
  std::vector<chase::Path> paths;  ///< loads on these look here first
  bool virtually_tagged = true;
  std::optional<Carveouts> carveouts;
  std::string next;             ///< the cache that misses go to; empty: the L2
  std::int64_t per_sm = 1;      ///< instances in an SM
  std::int64_t warp_block = 1;  ///< warp w uses instance w / warp_block % per_sm
  SmGroups shared_by;           ///< SMs that share an instance

  [[nodiscard]] std::size_t sets() const;
  /// The ways of each set when `shared_memory` bytes are carved out; set_ways without carve-outs.
  [[nodiscard]] std::vector<std::int64_t> ways_beside(std::int64_t shared_memory) const;
  /// The most lines that the cache holds beside this carve-out; without carve-outs as many as it has ways.
  [[nodiscard]] std::int64_t lines_beside(std::int64_t shared_memory) const;
};

/// The first broken rule of the caches of a GPU, each by itself and together.
[[nodiscard]] Broken violation(const std::vector<PrivateCache>& caches, std::int64_t sm_count);

/// The tables under `cache`, by name.
[[nodiscard]] std::vector<PrivateCache> read_private_caches(const Section& description, std::int64_t sm_count);

}  // namespace tomograph::sim

#endif
