#ifndef TOMOGRAPH_CONSTANT_CACHE_ACQUIRE_SPECTRUM_HPP
#define TOMOGRAPH_CONSTANT_CACHE_ACQUIRE_SPECTRUM_HPP

#include <cstdint>
#include <span>
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

/// Loads of footprints up to `reach_bytes` in random order after two walks, on SM 0, whose neighbours are asked as
/// well.
[[nodiscard]] std::vector<Step> sweep(const cache::Executor& execute, std::int64_t reach_bytes);

/// Up to 16 SMs, evenly spaced, number 0 first.
[[nodiscard]] std::vector<std::int64_t> some_sms(std::int64_t sm_count);

/// First loads on SM `reader` after each of the `neighbours` loaded the same lines.
[[nodiscard]] std::vector<Neighbour> after_neighbours(const cache::Executor& execute, std::int64_t reach_bytes,
                                                      std::int64_t reader, std::span<const std::int64_t> neighbours);

/// Loads of one footprint, walked before, on several SMs.
[[nodiscard]] std::vector<Neighbour> footprint_on(const cache::Executor& execute, std::int64_t bytes,
                                                  std::span<const std::int64_t> sms);

/// Bytes of constants.
struct ConstantSize {
  std::int64_t of_array = 0;    ///< what reach() returns
  std::int64_t held_by_l2 = 0;  ///< what L2 certainly holds
};

/// Loads of as many constants as a program can have and L2 holds, walked before, on several SMs.
[[nodiscard]] std::vector<Neighbour> all_constants_on(const cache::Executor& execute, const ConstantSize& size,
                                                      std::span<const std::int64_t> sms);

/// Loads of global memory that L2 serves on SM 0.
[[nodiscard]] std::vector<double> global_loads(const cache::Executor& execute);

/// What tells a second level from L2 on SM 0. `beyond_first` is a footprint that the first level does not hold.
[[nodiscard]] Reference reference(const cache::Executor& execute, const ConstantSize& size, std::int64_t beyond_first);

}  // namespace tomograph::constant_cache

#endif
