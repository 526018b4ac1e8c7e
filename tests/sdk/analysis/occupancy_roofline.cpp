#include "tomograph/analysis/occupancy_roofline.hpp"

#include <algorithm>
#include <cmath>
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
      point.cpi.push_back(std::max(completion / static_cast<double>(warps * ilp), issue) *
                          (spread > 0 ? error(random) : 1));
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

TEST_CASE("a curve that rises up to its end does not level out") {
  const auto two_points = [](double issue) {
    return std::vector<OccupancyPoint>{{48, {std::max(24.0 / 48, issue)}}, {64, {std::max(24.0 / 64, issue)}}};
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

TEST_CASE(
    "the error of the interval of single repetitions and the relative confidence interval of their mean are Student's "
    "t") {
  // Two degrees of freedom: P[|T| > t] = 1 - t / sqrt(2 + t^2), with t = 1.96 sqrt(3) = 3.39482, and its inverse for
  // 0.001, t = 31.5991, times the standard error 1 / sqrt(3), over the mean.
  const Repeated three = repeated(std::vector<double>{1, 2, 3});
  CHECK(three.error() == Approx(0.076895).epsilon(1e-4));
  CHECK(three.relative_ci() == Approx(9.12188).epsilon(1e-4));
  CHECK(repeated(std::vector<double>(25, 7.0)).relative_ci() == 0);
  CHECK(repeated(std::vector<double>(25, 7.0)).error() < 1e-8);
  CHECK(repeated(std::vector<double>{5}).error() == 1);
  CHECK(std::isinf(repeated(std::vector<double>{5}).relative_ci()));
}

TEST_CASE("a delayed occupancy is not taken for the least one, and a delayed least one shows") {
  // Cycles per request of an H100 beside another program, which delayed the launch of two warps.
  const std::vector<OccupancyPoint> delayed{{1, {723, 724}}, {2, {866, 867}}, {4, {179, 180}}};
  CHECK(roofline(delayed).completion.mean == 723.5);
  CHECK_FALSE(starts_too_slow(delayed, 0.03));
  CHECK(starts_too_slow(std::vector<OccupancyPoint>{{1, {866, 867}}, {2, {360, 361}}}, 0.03));
  CHECK_FALSE(starts_too_slow(std::vector<OccupancyPoint>{{1, {866, 867}}}, 0.03));
}

TEST_CASE("a roofline names the points that its latencies are of") {
  const std::vector<OccupancyPoint> grid{{1, {8, 8}, 0.25}, {2, {4, 4}, 0.125}, {4, {3, 3}, 0.0625}, {8, {3.5, 3.5}}};
  CHECK(roofline(grid).slowest.warps == 1);
  CHECK(roofline(grid).fastest.warps == 4);
  CHECK(roofline(grid).fastest.resolution == 0.0625);
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
  CHECK_THROWS_AS(cycles_of_run({}), std::invalid_argument);
}
