#include <random>
#include <stdexcept>

#include "analysis_ridge.hpp"
#include "catch.hpp"

using namespace tomograph::analysis;
using namespace tomograph::instruction_throughput;

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

TEST_CASE("the ridge is the first occupancy with less than 5 % below the peak") {
  // 48 warps fill the pipeline; 46 of 48 are 4.2 % below, 45 are 6.25 %.
  for (const double spread : {0.0, 0.001}) {
    CHECK(ridge(curve(24, 0.5, 1, spread)).sure == 46);
    CHECK(ridge(curve(24, 0.5, 2, spread)).sure == 23);
    // 18 of 19 would be 5.3 %.
    CHECK(ridge(curve(9.5, 0.5, 1, spread)).sure == 19);
  }
}

TEST_CASE("a ridge is decided if noise does not reach from any occupancy to 5 % below the peak") {
  const Ridge clear = ridge(curve(16, 0.5, 1, 0.001));
  CHECK(clear.first == clear.sure);
  CHECK(clear.below == clear.sure - 1);
  CHECK(clear.undecided.empty());
  CHECK(clear.confidence > 0.999);
}

TEST_CASE("an occupancy that noise may put on either side of 5 % leaves the ridge open between it and the next") {
  // 19 of 20 are 5 % below.
  const Ridge open = ridge(curve(10, 0.5, 1, 0.003));
  CHECK(open.below == 18);
  CHECK(open.first == 19);
  CHECK(open.sure == 20);
  // The peak is any from 20 on.
  CHECK(open.undecided.front() == 19);
  CHECK(open.undecided.size() > 20);
  CHECK(ridge(std::vector<OccupancyPoint>{{1, {2}}, {2, {1}}}).first == 1);
}

TEST_CASE("what clocks leave open no repetition decides") {
  std::vector<OccupancyPoint> points{{1, {1 / 0.949, 1 / 0.949}}, {2, {1, 1}}};
  CHECK(ridge(points).first == 2);
  points.front().resolution = 0.01;
  CHECK(ridge(points).first == 1);
}

TEST_CASE("more repetitions of the undecided occupancies decide") {
  const auto repetitions = [](double low, double high, std::size_t count) {
    std::vector<double> cpi(count, low);
    for (std::size_t i = 1; i < count; i += 2) cpi[i] = high;
    return cpi;
  };
  const auto points = [&](std::size_t count) {
    return std::vector<OccupancyPoint>{
        {1, repetitions(2, 2.1, 8)}, {2, repetitions(1.01, 1.05, count)}, {4, repetitions(0.98, 1.02, count)}};
  };
  CHECK(ridge(points(8)).first == 2);
  CHECK(ridge(points(8)).sure == 4);
  CHECK(ridge(points(200)).sure == 2);
}

TEST_CASE("a curve's order does not matter") {
  auto points = curve(24, 0.5, 1);
  std::swap(points.front(), points.back());
  CHECK(ridge(points).sure == 46);
}

TEST_CASE("a coarse curve tells the last occupancy below the ridge") {
  std::vector<OccupancyPoint> coarse;
  for (const OccupancyPoint& point : curve(24, 0.5, 1)) {
    if (point.warps % 16 == 0) coarse.push_back(point);
  }
  CHECK(ridge(coarse).below == 32);
  CHECK(ridge(coarse).sure == 48);
  CHECK(ridge(curve(1, 1, 1)).below == 0);
}

TEST_CASE("the peak is that of the grid, the ridge one of all points") {
  const std::vector<OccupancyPoint> grid{{1, {8, 8}}, {8, {1, 1}}};
  const std::vector<OccupancyPoint> refined{{4, {2, 2}}, {6, {0.9, 0.9}}, {7, {1, 1}}};
  CHECK(roofline(grid).issue.mean == 1);
  CHECK(ridge(grid, refined).sure == 6);
}

TEST_CASE("ridges of points without repetitions are refused") {
  CHECK_THROWS_AS(ridge({}), std::invalid_argument);
  CHECK_THROWS_AS(ridge(std::vector<OccupancyPoint>{{1, {1}}}, std::vector<OccupancyPoint>{{2, {}}}),
                  std::invalid_argument);
}
