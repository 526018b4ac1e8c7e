#ifndef TOMOGRAPH_MEMORY_CONCURRENCY_ACQUIRE_GATHER_HPP
#define TOMOGRAPH_MEMORY_CONCURRENCY_ACQUIRE_GATHER_HPP

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis_load.hpp"
#include "tomograph/kernel.hpp"
#include "tomograph/session.hpp"

namespace tomograph::memory_concurrency {

/// Repetitions of each run: the extremes of so many enclose the median with probability 0.999.
inline constexpr std::int64_t repetitions = 11;

/// Who loads from where.
struct Setting {
  std::vector<std::int64_t> sms = {};  ///< empty: all
  std::int64_t sm_number = 1;          ///< of those that take part
  std::int64_t footprint = 0;
  std::int64_t warm_passes = 0;
  std::int64_t carveout = -1;
  kernel::Cache cache = kernel::Cache::cg;
};

/// Measures each point `repetitions` times, in turn, so that a disturbance meets all alike.
void measure(const Session& session, const Setting& setting, std::vector<Point>& points);

/// The points of `points` whose values count, so far as is known.
using Counting = std::function<std::vector<std::size_t>(std::span<const Point>)>;

/// Measures each point a few times, then those that count `repetitions` times, until all that count were.
void measure_counting(const Session& session, const Setting& setting, std::vector<Point>& points,
                      const Counting& counting);

/// Numbers of warps of an SM: 1, 2, 4, 8, 12, 16, 24, ... up to what an SM holds.
[[nodiscard]] std::vector<std::int64_t> rising_warps(const Session& session);

/// Bytes of L2 as measured or else as reported. @throws Skip if unknown.
[[nodiscard]] std::int64_t l2_bytes(const Session& session);

/// A third of L2, which leaves room for the copies of partitions.
[[nodiscard]] std::int64_t near_footprint(const Session& session);

/// Forty times L2, so that L2 holds a fortieth of it. @throws Skip if memory is too small for half of that.
[[nodiscard]] std::int64_t far_footprint(const Session& session);

/// Columns warps, blocks, element, loads, rate, latency and clock, one row for each run.
[[nodiscard]] std::vector<NamedArray> columns(const std::vector<Point>& points);

}  // namespace tomograph::memory_concurrency

#endif
