#ifndef TOMOGRAPH_CONSTANT_CACHE_ACQUIRE_SPECTRUM_HPP
#define TOMOGRAPH_CONSTANT_CACHE_ACQUIRE_SPECTRUM_HPP

#include <cstdint>
#include <vector>

#include "analysis_levels.hpp"
#include "tomograph/cache/hit_and_miss.hpp"

/// Experiments on the latency of constants.
namespace tomograph::constant_cache {

/// Bytes of constants that one program can load, to 256 B: the largest array that the device does not refuse.
/// @throws Refused if it refuses constants altogether.
[[nodiscard]] std::int64_t reach(const cache::Executor& execute);

/// Hits of a footprint of two nodes on every SM: by_sm from many loads timed in total, hits one by one, no misses.
[[nodiscard]] cache::HitAndMiss smallest_footprint(const cache::Executor& execute, std::int64_t sm_count);

/// Loads of footprints up to `reach_bytes` in random order after two walks, on one SM.
[[nodiscard]] std::vector<Step> sweep(const cache::Executor& execute, std::int64_t reach_bytes);

/// First loads on SM 0 after each of up to 16 other SMs loaded the same lines.
[[nodiscard]] std::vector<Neighbour> after_neighbours(const cache::Executor& execute, std::int64_t reach_bytes,
                                                      std::int64_t sm_count);

/// Loads of one footprint, walked before, on up to 16 SMs.
[[nodiscard]] std::vector<Neighbour> on_other_sms(const cache::Executor& execute, std::int64_t bytes,
                                                  std::int64_t sm_count);

}  // namespace tomograph::constant_cache

#endif
