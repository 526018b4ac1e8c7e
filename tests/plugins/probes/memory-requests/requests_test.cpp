#include "analysis_requests.hpp"
#include "catch.hpp"

using namespace tomograph::memory_requests;

namespace {

/// A point of 4-byte elements that took about so long on 12 SMs, with a scatter.
Point point_of(std::int64_t warps, double cycles, double scatter) {
  Point point{4, {warps, 1}, {}};
  for (int sm = 0; sm < 12; ++sm) point.cycles.push_back(cycles * (1 + scatter * (sm % 2 == 0 ? 1 : -1)));
  return point;
}

/// Three occupancies of each element size.
std::vector<Point> points_of(const Point& one, const Point& some, const Point& full) {
  std::vector<Point> points;
  for (const std::int64_t element : elements) {
    for (Point point : {one, some, full}) {
      point.element = element;
      points.push_back(point);
    }
  }
  return points;
}

}  // namespace

TEST_CASE("occupancies double up to whole CTAs, of which each warp then has more requests") {
  const auto all = occupancies(70);
  REQUIRE(all.size() == 10);
  CHECK(all.front().warps == 1);
  CHECK(all[6].warps == 64);
  CHECK(all[6].ilp == 1);
  CHECK(all.back().warps == 64);
  CHECK(all.back().ilp == 8);
}

TEST_CASE("a curve has the points of one element size, by requests in flight") {
  std::vector<Point> points{{4, {8, 2}, {10, 11}}, {8, {8, 2}, {20}}, {4, {1, 1}, {30}}};
  const auto curve = curve_of(points, 4);
  REQUIRE(curve.size() == 2);
  CHECK(curve[0].warps == 16);
  CHECK(curve[0].cpi.size() == 2);
  CHECK(curve[1].warps == 1);
}

TEST_CASE("latencies that are published and scatter are measured again, others are not") {
  auto precise = points_of(point_of(1, 800, 0.001), point_of(8, 110, 0.001), point_of(64, 20, 0.001));
  CHECK(imprecise(precise).empty());
  auto slowest = points_of(point_of(1, 800, 0.1), point_of(8, 110, 0.001), point_of(64, 20, 0.001));
  for (const Point* point : imprecise(slowest)) CHECK(point->occupancy.warps == 1);
  CHECK(imprecise(slowest).size() == elements.size());
  auto between = points_of(point_of(1, 800, 0.001), point_of(8, 110, 0.1), point_of(64, 20, 0.001));
  CHECK(imprecise(between).empty());
  auto fastest = points_of(point_of(1, 800, 0.001), point_of(8, 110, 0.001), point_of(64, 20, 0.1));
  for (const Point* point : imprecise(fastest)) CHECK(point->occupancy.warps == 64);
}

TEST_CASE("fewer SMs than a confidence needs are too few, however well they agree") {
  auto points = points_of(point_of(1, 800, 0.001), point_of(8, 110, 0.001), point_of(64, 20, 0.001));
  for (Point& point : points) point.cycles.resize(4);
  CHECK_FALSE(imprecise(points).empty());
}
