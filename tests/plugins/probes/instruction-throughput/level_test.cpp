#include <algorithm>

#include "analysis_level.hpp"
#include "catch.hpp"

using namespace tomograph;
using namespace tomograph::instruction_throughput;

namespace {

/// An instruction that completes after 24 cycles and is issued every 0.5, at so many warps, with a scatter.
analysis::OccupancyPoint point_of(std::int64_t warps, double scatter) {
  const double cycles = std::max(24 / static_cast<double>(warps), 0.5);
  analysis::OccupancyPoint point{warps, {}, 0};
  for (int i = 0; i < 26; ++i) point.cpi.push_back(cycles * (1 + scatter * (i % 2 == 0 ? 1 : -1)));
  return point;
}

Level level_of(double scatter) {
  Level level{.ilp = 1};
  for (const std::int64_t warps : {1, 2, 4, 8, 16, 32, 48, 64}) level.grid.push_back(point_of(warps, scatter));
  return level;
}

}  // namespace

TEST_CASE("between the last occupancy below the ridge and the first above it, all others are measured") {
  Level level = level_of(0.001);
  const auto missing = level.about_the_ridge();
  REQUIRE(missing.size() == 15);
  CHECK(missing.front() == 33);
  CHECK(missing.back() == 47);
  for (const std::int64_t warps : missing) level.refined.push_back(point_of(warps, 0.001));
  level.evaluate();
  CHECK(level.ridge.sure == 46);
  CHECK(level.converged);
  CHECK(level.full() == 64);
  CHECK(level.undecided().empty());
}

TEST_CASE("latencies that scatter need more repetitions, each occupancy once") {
  const Level level = level_of(0.2);
  auto warps = level.undecided();
  CHECK(std::ranges::count(warps, 1) == 1);
  std::ranges::sort(warps);
  CHECK(std::unique(warps.begin(), warps.end()) == warps.end());
}

TEST_CASE("points are found by their warps, in the grid or about the ridge") {
  Level level = level_of(0.001);
  level.refined.push_back(point_of(40, 0.001));
  REQUIRE(level.at(40) != nullptr);
  CHECK(level.at(40)->warps == 40);
  CHECK(level.at(64)->warps == 64);
  CHECK(level.at(41) == nullptr);
}
