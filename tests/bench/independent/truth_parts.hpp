#ifndef TOMOGRAPH_BENCH_INDEPENDENT_TRUTH_PARTS_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_TRUTH_PARTS_HPP

#include <string>
#include <vector>

#include "description.hpp"
#include "expected.hpp"

namespace independent {

/// What experiments can show of a cache's organisation.
struct Organisation {
  bool observable = true;       ///< conflicts show within the memory whose placement a program knows
  unsigned known_bits = 64;     ///< address bits that a program knows
  bool policy_is_asked = true;  ///< whether there is a fact for the policy
  std::int64_t unit = 0;        ///< what the level above fetches: smaller parts cannot be told apart
};

/// A latency of a cache or TLB, right within 2 % and 1.5 cycles.
[[nodiscard]] Expected cycles(const std::string& key, double value);
/// A latency of memory, right within 4 % and 3 cycles: refresh and rows make it vary.
[[nodiscard]] Expected memory_cycles(const std::string& key, double value);

/// Means over slices and homes, and over SMs unless one is given.
[[nodiscard]] double mean_near_hit(const Gpu& gpu);
[[nodiscard]] double mean_l2_hit_of(const Gpu& gpu, std::size_t sm);
[[nodiscard]] double mean_l2_hit(const Gpu& gpu);
/// How far the mean of an SM lies from the mean of all, at most.
[[nodiscard]] double spread_of_sms(const Gpu& gpu);
/// A constant that only L2 holds: it lies in its home, near or far from the SM, and the mean is half way between.
[[nodiscard]] double mean_constant_in_l2(const Gpu& gpu);
/// What a miss in L2 adds, on average over rows and refreshes.
[[nodiscard]] double mean_memory_extra(const Gpu& gpu);
/// Latency of a load that memory serves.
[[nodiscard]] double mean_memory(const Gpu& gpu);

/// The part of L2 that one SM fills, as one cache.
[[nodiscard]] CacheDescription cache_of_one_sm(const L2Description& l2);

[[nodiscard]] Organisation organisation_of(const Gpu& gpu, const FirstLevel& first);
[[nodiscard]] Organisation organisation_of_l2(const Gpu& gpu);

/// Line, sector, fetch, size, sets, ways, index and replacement.
void add_cache(std::vector<Expected>& facts, const std::string& prefix, const CacheDescription& cache,
               const Organisation& organisation);
/// The SMs that share an instance.
void add_groups(std::vector<Expected>& facts, const std::string& prefix, const Groups& of_sm);
/// All facts of one level.
void add_tlb(std::vector<Expected>& facts, const std::string& prefix, const Translation& translation,
             std::size_t level);

/// Partitions of SMs, numbered in the order of their lowest SMs.
[[nodiscard]] Json numbered_by_lowest_sm(const Groups& of_sm);

}  // namespace independent

#endif
