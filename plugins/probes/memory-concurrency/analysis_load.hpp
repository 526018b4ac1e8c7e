#ifndef TOMOGRAPH_MEMORY_CONCURRENCY_ANALYSIS_LOAD_HPP
#define TOMOGRAPH_MEMORY_CONCURRENCY_ANALYSIS_LOAD_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tomograph/analysis/robust_statistics.hpp"

/// Latency and rate of random loads under rising load. Pure functions.
namespace tomograph::memory_concurrency {

inline constexpr double sector_bytes = 32;

/// One run of a kernel.
struct Run {
  double rate = 0;      ///< sectors per cycle of all SMs that take part
  double latency = 0;   ///< mean, in cycles; 0 where several loads overlap
  double clock_hz = 0;  ///< of the SMs
};

/// A load and what it took.
struct Point {
  std::int64_t warps = 1;    ///< of an SM
  std::int64_t blocks = 32;  ///< that a load touches
  std::int64_t element = 4;  ///< bytes of each lane
  std::int64_t loads = 1;    ///< of a warp, one after the other without waiting
  bool writes = false;       ///< stores instead of loads
  std::vector<Run> runs = {};

  /// Sectors that a load touches.
  [[nodiscard]] std::int64_t sectors() const;
  /// Sectors that an SM requests at most at the same time.
  [[nodiscard]] std::int64_t offered() const { return warps * loads * sectors(); }
  [[nodiscard]] std::vector<double> rates() const;
  [[nodiscard]] std::vector<double> latencies() const;
  /// Medians over the runs, of which there is at least one.
  [[nodiscard]] double rate() const { return analysis::median(rates()); }
  [[nodiscard]] double latency() const { return analysis::median(latencies()); }
  [[nodiscard]] double bytes_per_second() const;
};

/// The point with the highest rate. Requires points.
[[nodiscard]] const Point& fastest(std::span<const Point> points);

/// The latency of the fastest load where it is the only one: of the fewest warps that load as many blocks.
[[nodiscard]] const Point& idle_point(std::span<const Point> points, const Point& best);

/// Whether more loads no longer raise the rate: a point with at most half as much on offer as the fastest one, or
/// one with at least twice as much, comes within 5 % of its rate.
[[nodiscard]] bool is_saturated(std::span<const Point> points);

/// By which share twice the load might raise the rate: by as much as the last doubling did, since a rate that nears its
/// limit rises ever less. 0 if it is saturated. Needs a point with half as much on offer as the fastest one.
[[nodiscard]] double possible_rise(std::span<const Point> points);

/// Pairs of bytes per second and latency, by what is on offer, as far as the rate rises. A saturated device adds
/// latency only: of the points within 1 % of the highest rate, the first and the last are kept.
[[nodiscard]] std::vector<std::pair<double, double>> queueing_curve(std::span<const Point> points);

/// Latency at the knee as a multiple of that of an idle device.
inline constexpr double knee_latency = 1.5;

/// The load in B/s at which the curve crosses `knee_latency` times its first latency, linear between its points;
/// nothing if it does not.
[[nodiscard]] std::optional<double> queueing_knee(std::span<const std::pair<double, double>> curve);

/// Sectors in flight from an SM.
struct InFlight {
  double misses = 0;
  double low = 0;
  double high = 0;
  double coverage = 0;    ///< probability that low and high enclose it
  bool is_limit = false;  ///< whether no more can be in flight, whatever is on offer
};

/// Sectors in flight by Little's law (1961): the highest rate times the latency of the same load in an idle device. It
/// is computed for `far` and for `near` memory, whose loads return sooner. Their number is the limit if both are
/// saturated and agree on it: the rates then differ as the latencies do. Any other limit, as the rate of the SM's port
/// or of the memory, leaves the larger number as a lower bound. Both have points of one SM alone.
[[nodiscard]] InFlight in_flight(std::span<const Point> far, std::span<const Point> near);

/// Bytes that a request fetches: 32 for itself and 32 for each following neighbour that is there afterwards. `latency`
/// are those of the neighbours, in order; one is there if its latency is nearer to `hit` than to `miss`.
[[nodiscard]] std::int64_t fetched_bytes(std::span<const double> latency, double hit, double miss);

}  // namespace tomograph::memory_concurrency

#endif
