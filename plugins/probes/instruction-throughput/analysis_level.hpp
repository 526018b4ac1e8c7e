#ifndef TOMOGRAPH_INSTRUCTION_THROUGHPUT_ANALYSIS_LEVEL_HPP
#define TOMOGRAPH_INSTRUCTION_THROUGHPUT_ANALYSIS_LEVEL_HPP

#include <cstdint>
#include <vector>

#include "analysis_ridge.hpp"
#include "tomograph/analysis/occupancy_roofline.hpp"

/// Which repetitions of an occupancy curve its latencies and its ridge need. Pure functions.
namespace tomograph::instruction_throughput {

/// A latency with a wider relative interval than this is not published: two runs would differ by more than is useful.
inline constexpr double useful_ci = 0.02;

/// The curve of one ILP level and its results.
struct Level {
  std::int64_t ilp = 1;
  std::vector<analysis::OccupancyPoint> grid = {};
  std::vector<analysis::OccupancyPoint> refined = {};  ///< about the ridge
  analysis::Roofline roofline = {};
  Ridge ridge = {};
  bool converged = false;  ///< whether the curve levels out before the SM is full

  /// Occupancies that need more repetitions: for the latencies, or to tell on which side of the ridge they are.
  [[nodiscard]] std::vector<std::int64_t> undecided() const;

  /// The measured point of this occupancy, or null.
  [[nodiscard]] analysis::OccupancyPoint* at(std::int64_t warps);

  /// The most warps that were measured.
  [[nodiscard]] std::int64_t full() const;

  /// Occupancies between the last grid point below the ridge and the first that surely is not, which are not in the
  /// grid.
  [[nodiscard]] std::vector<std::int64_t> about_the_ridge() const;

  /// Sets the results from the points.
  void evaluate();
};

}  // namespace tomograph::instruction_throughput

#endif
