#ifndef TOMOGRAPH_CACHE_CAPACITY_HPP
#define TOMOGRAPH_CACHE_CAPACITY_HPP

#include <optional>
#include <vector>

#include "tomograph/cache/retention.hpp"

namespace tomograph::cache {

/// One size of a sweep.
struct SweepPoint {
  std::int64_t bytes = 0;
  Retained seen;
};

/// The capacity of a cache, from two methods: the largest footprint that fits, and what larger footprints retain.
struct Capacity {
  /// Largest contiguous footprint without a miss (Mei & Chu 2017, step 1). Exact if the index spreads contiguous lines
  /// evenly; a lower bound otherwise.
  std::int64_t first_miss_bytes = 0;
  /// Sizes between which first_miss_bytes lies: noise may hide a few lines too many.
  std::int64_t surely_fitting_bytes = 0;
  std::int64_t perhaps_fitting_bytes = 0;
  std::int64_t missing_bytes = 0;  ///< smallest footprint that the search saw miss
  /// Whether the cache is too large to test every line: the knee lies between first_miss_bytes and missing_bytes.
  bool sampled = false;
  /// Bytes that overfull footprints retain: the third largest of their counts if every line was counted, else their
  /// mean.
  double retained_bytes = 0;
  double retained_error = 0;  ///< standard error of retained_bytes, from sampling
  double most_counted = 0;    ///< largest count of a footprint of which every line was counted
  /// Standard deviation of the counts of all lines. Random victims make counts vary.
  double scatter = 0;
  double still_filling = 0;  ///< bytes by which the largest footprint retains more than the smallest overfull one
  /// Upper bound of the retained bytes, of contiguous lines or of lines at random places.
  double most_bytes = 0;
  /// Several overfull footprints of which every line was counted retained exactly as many.
  bool plateau = false;
  /// The knee is exact: first_miss_bytes and the retained bytes agree, or there is a plateau.
  bool sharp = false;
  std::vector<SweepPoint> sweep;  ///< all sizes tested, ascending

  /// The capacity: what a plateau retains; first_miss_bytes if larger footprints retain about as much (of a sampled
  /// cache: if the knee is sharp) or less; else the retained bytes, rounded to multiples of `granule`.
  [[nodiscard]] std::int64_t bytes(std::int64_t granule) const;
};

/// Measures the capacity with nodes `stride` (the line size) apart: halves `start_bytes` until they fit, doubles until
/// a footprint misses, bisects to the last one without a miss, and counts what larger ones retain. In caches of more
/// than about 16384 lines, the first miss is found to one part in 64. Nothing if `start_bytes` do not fit or
/// `limit_bytes` still fit.
[[nodiscard]] std::optional<Capacity> capacity(const Executor& execute, const Subject& subject, std::int64_t stride,
                                               std::int64_t start_bytes, std::int64_t limit_bytes);

/// The capacity to within a factor of 2, from few programs: the largest power-of-two multiple of `start_bytes` that
/// fits, at most `limit_bytes`. Nothing if `start_bytes` do not fit.
[[nodiscard]] std::optional<std::int64_t> rough_capacity(const Executor& execute, const Subject& subject,
                                                         std::int64_t stride, std::int64_t start_bytes,
                                                         std::int64_t limit_bytes);

/// Whether all sectors of a footprint fit, of whose lines one sector each fits: tags may reach further than the data.
[[nodiscard]] bool all_sectors_fit(const Executor& execute, const Subject& subject, std::int64_t bytes);

}  // namespace tomograph::cache

#endif
