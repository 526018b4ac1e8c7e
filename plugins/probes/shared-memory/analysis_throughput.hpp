#ifndef TOMOGRAPH_SHARED_MEMORY_ANALYSIS_THROUGHPUT_HPP
#define TOMOGRAPH_SHARED_MEMORY_ANALYSIS_THROUGHPUT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tomograph/shared_access.hpp"

/// Throughput of shared memory by configuration. Pure functions.
namespace tomograph::shared_memory {

inline constexpr std::int64_t lanes = shared_access::warp_lanes;
inline constexpr std::int64_t word = 4;  // bytes
inline constexpr std::array<std::int64_t, 3> widths{4, 8, 16};

struct Configuration {
  shared_access::Operation operation = shared_access::Operation::load;
  std::int64_t width = word;
  std::int64_t warps = 1;  ///< of a CTA
  std::int64_t ctas = 1;
  std::int64_t streams = 1;
};

/// Bytes that an SM accesses for one access of every stream. What is copied is loaded and stored.
[[nodiscard]] double bytes_of(const Configuration& configuration);

/// Copies by CTA size, CTAs per SM and ILP as in Mei & Chu 2017, Figs. 15 and 16.
[[nodiscard]] std::vector<Configuration> copies();

/// These copies; loads of all widths, and of few warps in small steps.
[[nodiscard]] std::vector<Configuration> surface();
/// Stores of all widths by CTA size and CTAs per SM.
[[nodiscard]] std::vector<Configuration> surface_of_stores();

struct Point {
  Configuration configuration;
  double bytes_per_cycle = 0;
};

/// The points of one operation and width with the highest throughput, best first, at most `count`.
[[nodiscard]] std::vector<Point> highest(std::vector<Point> points, shared_access::Operation operation,
                                         std::int64_t width, std::size_t count);

/// Pairs: ILP, fewest warps with which loads of a word reach 95 % of `roof`, in bytes per cycle.
[[nodiscard]] std::vector<std::pair<std::int64_t, std::int64_t>> warps_at_the_roof(const std::vector<Point>& points,
                                                                                   double roof);

}  // namespace tomograph::shared_memory

#endif
