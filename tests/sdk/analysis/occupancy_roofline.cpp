#include "tomograph/analysis/occupancy_roofline.hpp"

#include <random>
#include <stdexcept>

#include "catch.hpp"

using namespace tomograph;
using namespace tomograph::analysis;

namespace {

/// The curve of a pipeline, each repetition off by a normal error of relative size `spread`.
std::vector<OccupancyPoint> curve(double completion, double issue, std::int64_t ilp, double spread = 0) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> error(1, spread > 0 ? spread : 1);
  std::vector<OccupancyPoint> points;
  for (std::int64_t warps = 1; warps <= 64; ++warps) {
    OccupancyPoint point{warps, {}};
    for (int i = 0; i < 25; ++i) {
      point.cpi.push_back(roofline_cpi(completion, issue, warps, ilp) * (spread > 0 ? error(random) : 1));
    }
    points.push_back(point);
  }
  return points;
}

}  // namespace

TEST_CASE("a curve yields the latencies it was made of") {
  for (const std::int64_t ilp : {1, 2, 4}) {
    const Roofline found = roofline(curve(24, 0.5, ilp, 0.001));
    CHECK(found.completion.mean == Approx(24.0 / static_cast<double>(ilp)).epsilon(0.002));
    CHECK(found.issue.mean == Approx(0.5).epsilon(0.002));
  }
}

TEST_CASE("the ridge is the first occupancy with less than 5 % below the peak") {
  // 48 warps fill the pipeline; 46 of 48 are 4.2 % below, 45 are 6.25 %.
  CHECK(roofline(curve(24, 0.5, 1)).ridge_warps == 46);
  CHECK(roofline(curve(24, 0.5, 2)).ridge_warps == 23);
  // 18 of 19 would be 5.3 %.
  CHECK(roofline(curve(9.5, 0.5, 1)).ridge_warps == 19);
}

TEST_CASE("a ridge is sure if no occupancy is near to 5 % below the peak") {
  CHECK(roofline(curve(16, 0.5, 1, 0.001)).ridge_confidence > 0.999);
  // 18 of 19 lack 5.3 %.
  CHECK(roofline(curve(9.5, 0.5, 1, 0.001)).ridge_confidence < 0.9);
  CHECK(roofline(std::vector<OccupancyPoint>{{1, {2}}, {2, {1}}}).ridge_confidence < 0.51);
}

TEST_CASE("a curve's order does not matter") {
  auto points = curve(24, 0.5, 1);
  std::swap(points.front(), points.back());
  CHECK(roofline(points).ridge_warps == 46);
}

TEST_CASE("a coarse curve brackets the ridge") {
  std::vector<OccupancyPoint> coarse;
  for (const OccupancyPoint& point : curve(24, 0.5, 1)) {
    if (point.warps % 16 == 0) coarse.push_back(point);
  }
  const RidgeBracket bracket = ridge_bracket(coarse);
  CHECK(bracket.below == 32);
  CHECK(bracket.ridge == 48);
  CHECK(ridge_bracket(curve(1, 1, 1)).below == 0);
}

TEST_CASE("the peak is that of the grid, the ridge one of all points") {
  const std::vector<OccupancyPoint> grid{{1, {8, 8}}, {8, {1, 1}}};
  const std::vector<OccupancyPoint> refined{{4, {2, 2}}, {6, {0.9, 0.9}}, {7, {1, 1}}};
  const Roofline found = roofline(grid, refined);
  CHECK(found.issue.mean == 1);
  CHECK(found.ridge_warps == 6);
}

TEST_CASE("a curve that rises up to its end does not level out") {
  const auto two_points = [](double issue) {
    return std::vector<OccupancyPoint>{{48, {roofline_cpi(24, issue, 48, 1)}}, {64, {roofline_cpi(24, issue, 64, 1)}}};
  };
  CHECK(levels_out(two_points(0.5)));
  CHECK(levels_out(two_points(0.44)));
  CHECK_FALSE(levels_out(two_points(0.4)));
  CHECK_FALSE(levels_out(two_points(0.1)));
  CHECK_FALSE(levels_out(std::vector<OccupancyPoint>{{1, {1}}}));
}

TEST_CASE("the 95 % interval is 1.96 standard deviations of the values") {
  const Repeated found = repeated(std::vector<double>{1, 2, 3});
  CHECK(found.mean == 2);
  CHECK(found.interval().low == Approx(2 - 1.96));
  CHECK(found.interval().high == Approx(2 + 1.96));
  CHECK(repeated(std::vector<double>{5}).interval() == Interval{5, 5});
}

TEST_CASE("CTAs that ran one after the other are several runs") {
  CHECK(cycles_of_run({.cycles = 1000, .sm = 0, .ctas = 2, .concurrent = 2}) == 1000);
  CHECK(cycles_of_run({.cycles = 1000, .sm = 0, .ctas = 4, .concurrent = 2}) == 500);
  // The last run may be incomplete and takes as long.
  CHECK(cycles_of_run({.cycles = 1000, .sm = 0, .ctas = 3, .concurrent = 2}) == 500);
}

TEST_CASE("the difference of two bodies is free of what they have in common") {
  // 3 CTAs of 2 warps, 4 cycles per instruction of each warp, 500 cycles of loop and clocks.
  const BodyPair pair{{.cycles = 500 + 100 * 6 * 4, .sm = 0, .ctas = 3, .concurrent = 3},
                      {.cycles = 500 + 200 * 6 * 4, .sm = 0, .ctas = 3, .concurrent = 3}};
  CHECK(cycles_per_instruction(pair, 100, 2) == Approx(4));
}

TEST_CASE("curves without repetitions are refused") {
  CHECK_THROWS_AS(roofline({}), std::invalid_argument);
  CHECK_THROWS_AS(roofline(std::vector<OccupancyPoint>{{1, {}}}), std::invalid_argument);
  CHECK_THROWS_AS(roofline(std::vector<OccupancyPoint>{{1, {1, 2}}, {2, {1}}}), std::invalid_argument);
  CHECK_THROWS_AS(cycles_of_run({}), std::invalid_argument);
}
