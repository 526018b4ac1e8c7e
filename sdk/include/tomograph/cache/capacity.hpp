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

/// The capacity of a cache, from two sides.
struct Capacity {
  /// Largest contiguous footprint without a miss (Mei & Chu 2017, step 1): exact where the index spreads contiguous
  /// lines evenly, else a lower bound.
  std::int64_t first_miss_bytes = 0;
  std::int64_t missing_bytes = 0;  ///< smallest footprint that the search saw miss
  /// Of a large cache some lines of some sizes are tested: the knee lies between first_miss_bytes and missing_bytes.
  bool sampled = false;
  /// Bytes that footprints beyond it retained: what three of them did where every line was counted, else their mean.
  double retained_bytes = 0;
  /// Standard error of retained_bytes from sampling.
  double retained_error = 0;
  double most_counted = 0;  ///< the most that any of them retained of which every line was counted
  /// Standard deviation of the counts, where all lines were counted: victims at random make them vary.
  double scatter = 0;
  /// The most that may have been retained, but for the disturbance by tests and for sampling, of contiguous lines or of
  /// lines at random places.
  double most_bytes = 0;
  /// Several overfull footprints of which every line was counted retained exactly as many.
  bool plateau = false;
  /// The knee is exact: first_miss_bytes and the retained bytes agree, or there is a plateau.
  bool sharp = false;
  std::vector<SweepPoint> sweep;  ///< all sizes looked at, ascending

  /// The capacity in bytes: what the plateau retains; else first_miss_bytes where footprints beyond it retain about as
  /// much, of a sampled cache as much as the knee is sharp; else the retained bytes, to the next whole `granule`.
  [[nodiscard]] std::int64_t bytes(std::int64_t granule) const;
};

/// Halves the start until it fits, doubles a contiguous footprint of nodes `stride` apart until it misses, bisects to
/// the last size without a miss and counts what larger footprints retain. `stride` is the line size. Nothing if
/// `start_bytes` do not fit or `limit_bytes` still do. In caches of more than about 16384 lines the first miss is found
/// to one part in 64.
[[nodiscard]] std::optional<Capacity> capacity(const Executor& execute, const Subject& subject, std::int64_t stride,
                                               std::int64_t start_bytes, std::int64_t limit_bytes);

/// The largest power-of-two multiple of `start_bytes` that fits, at most `limit_bytes`: a capacity to within a factor
/// of 2, from few programs. Nothing if `start_bytes` do not fit.
[[nodiscard]] std::optional<std::int64_t> rough_capacity(const Executor& execute, const Subject& subject,
                                                         std::int64_t stride, std::int64_t start_bytes,
                                                         std::int64_t limit_bytes);

}  // namespace tomograph::cache

#endif
