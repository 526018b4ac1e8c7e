#ifndef TOMOGRAPH_MEMORY_REQUESTS_ANALYSIS_REQUESTS_HPP
#define TOMOGRAPH_MEMORY_REQUESTS_ANALYSIS_REQUESTS_HPP

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tomograph/analysis/occupancy_roofline.hpp"

/// Latencies of requests by occupancy, and which of them need more repetitions. Pure functions.
namespace tomograph::memory_requests {

inline constexpr std::array<std::int64_t, 5> elements{1, 2, 4, 8, 16};
inline constexpr std::int64_t warps_of_a_cta = 8;  // divides the 32, 48 or 64 warps that known SMs hold

/// A latency with a wider relative interval than this is not published: two runs would differ by more than is useful.
inline constexpr double useful_ci = 0.03;

/// Requests of an SM in flight: those of so many warps, `ilp` of each.
struct Occupancy {
  std::int64_t warps = 0;
  std::int64_t ilp = 1;
};

/// 1, 2, 4, ... warps and the most that CTAs of eight warps add up to; then 2, 4 and 8 requests of each of these.
[[nodiscard]] std::vector<Occupancy> occupancies(std::int64_t most_warps);

struct Point {
  std::int64_t element = 0;
  Occupancy occupancy;
  std::vector<double> cycles;  ///< per request of a warp, by SM
};

/// The points of one element size.
[[nodiscard]] std::vector<analysis::OccupancyPoint> curve_of(std::span<const Point> points, std::int64_t element);

/// The points that need more repetitions, of those whose latency is or may be published: for each element size the
/// slowest, and all that may be the fastest.
[[nodiscard]] std::vector<Point*> imprecise(std::vector<Point>& points);

}  // namespace tomograph::memory_requests

#endif
