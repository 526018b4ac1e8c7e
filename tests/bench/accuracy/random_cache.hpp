#ifndef TOMOGRAPH_BENCH_ACCURACY_RANDOM_CACHE_HPP
#define TOMOGRAPH_BENCH_ACCURACY_RANDOM_CACHE_HPP

#include <cstdint>
#include <string>

#include "draw.hpp"
#include "sim/gpu/description.hpp"

namespace tomograph::bench {

/// Bits from here on are constant within a page of 2 MiB, so no probe can see an index that uses them.
inline constexpr int highest_bit = 20;

/// Limits of a random cache.
struct CacheRange {
  std::int64_t smallest = 0;  ///< bytes
  std::int64_t largest = 0;
  bool wide_fetch = false;  ///< whether a miss may fetch two sectors
};

/// A cache of random line, sectors, sets, ways, index and replacement.
[[nodiscard]] sim::Cache random_cache(Draw& draw, const CacheRange& range);

/// An index of the bits next to the line offset, each XORed with some of the bits above them up to the `highest`.
[[nodiscard]] sim::Index draw_hash(Draw& draw, std::int64_t line_size, std::int64_t sets, int highest);

/// A cache of equal sets under LRU, indexed by the bits above the line.
[[nodiscard]] sim::Cache plain_cache(std::int64_t line_size, std::int64_t sector_size, std::int64_t sets,
                                     std::int64_t ways);

/// Noise of the size that an H200 shows.
[[nodiscard]] sim::Noise usual_noise();

[[nodiscard]] const char* name(sim::Replacement::Policy policy);

/// Replacement, kind of index, and whether sets are unequal.
[[nodiscard]] std::string kind_of(const sim::Cache& cache);

/// The geometry in one line.
[[nodiscard]] std::string describe(const sim::Cache& cache);

}  // namespace tomograph::bench

#endif
