#include <algorithm>

#include "analysis_load.hpp"
#include "catch.hpp"

using namespace tomograph::memory_concurrency;

namespace {

/// An SM that keeps so many misses in flight, with a port and a memory behind it.
struct Machine {
  double latency = 300;  ///< of an idle device
  double port_rate = 1;  ///< sectors per cycle
  double most_misses = 1e9;
};

/// A load in a closed system without variation: the rate is the least of what is on offer, what is kept in flight and
/// what the port sends, and latency follows from Little's law.
Point point_of(const Machine& machine, std::int64_t warps, std::int64_t blocks = 32) {
  Point point{.warps = warps, .blocks = blocks};
  const auto offered = static_cast<double>(point.offered());
  const double rate = std::min(std::min(offered, machine.most_misses) / machine.latency, machine.port_rate);
  for (int run = 0; run < 11; ++run) {
    const double scatter = 1 + 0.001 * (run - 5);
    point.runs.push_back({.rate = rate * scatter, .latency = offered / rate * scatter, .clock_hz = 1e9});
  }
  return point;
}

std::vector<Point> points_of(const Machine& machine, std::int64_t most_warps = 64) {
  std::vector<Point> points{point_of(machine, 1, 1)};
  for (std::int64_t warps = 1; warps <= most_warps; warps *= 2) points.push_back(point_of(machine, warps));
  return points;
}

}  // namespace

TEST_CASE("a load of blocks touches a sector of each, or more where a block has several") {
  CHECK(Point{.blocks = 32, .element = 4}.sectors() == 32);
  CHECK(Point{.blocks = 4, .element = 4}.sectors() == 4);
  CHECK(Point{.blocks = 1, .element = 4}.sectors() == 4);
  CHECK(Point{.blocks = 32, .element = 16}.sectors() == 32);
  CHECK(Point{.blocks = 8, .element = 16}.sectors() == 16);
}

TEST_CASE("a rate that still rises with the load is not saturated") {
  CHECK_FALSE(is_saturated(points_of({.port_rate = 1000})));
  CHECK(is_saturated(points_of({.port_rate = 2})));
  CHECK(possible_rise(points_of({.port_rate = 2})) == 0);
  CHECK(possible_rise(points_of({.port_rate = 1000})) > 0.05);
}

TEST_CASE("misses on which two memories agree are the limit") {
  const auto far = points_of({.latency = 800, .port_rate = 1, .most_misses = 256});
  const auto near = points_of({.latency = 300, .port_rate = 1, .most_misses = 256});
  const InFlight found = in_flight(far, near);
  CHECK(found.is_limit);
  CHECK(found.misses == Approx(256.0).epsilon(0.01));
  CHECK(found.low <= 256);
  CHECK(found.high >= 256);
}

TEST_CASE("misses that the port holds back are a lower bound") {
  const auto far = points_of({.latency = 600, .port_rate = 1});
  const auto near = points_of({.latency = 300, .port_rate = 1});
  const InFlight found = in_flight(far, near);
  CHECK_FALSE(found.is_limit);
  CHECK(found.misses == Approx(600.0).epsilon(0.01));
}

TEST_CASE("a plateau that only the far memory shows may have another cause: a lower bound") {
  const auto far = points_of({.latency = 1000, .port_rate = 0.8});
  const auto near = points_of({.latency = 300, .port_rate = 1});
  const InFlight found = in_flight(far, near);
  CHECK_FALSE(found.is_limit);
  CHECK(found.misses == Approx(800).epsilon(0.01));
}

TEST_CASE("the latency of a load of many blocks counts, not that of a load of one") {
  auto far = points_of({.latency = 1200, .port_rate = 1, .most_misses = 180});
  auto near = points_of({.latency = 360, .port_rate = 1, .most_misses = 180});
  for (Run& run : far.front().runs) run.latency = 700;
  for (Run& run : near.front().runs) run.latency = 300;
  const InFlight found = in_flight(far, near);
  CHECK(found.is_limit);
  CHECK(found.misses == Approx(180).epsilon(0.01));
}

TEST_CASE("misses that still rise with the load are a lower bound") {
  const auto far = points_of({.latency = 5000, .port_rate = 1}, 32);
  const auto near = points_of({.latency = 300, .port_rate = 1}, 32);
  CHECK_FALSE(in_flight(far, near).is_limit);
}

TEST_CASE("a queueing curve rises to the wall and keeps its two ends") {
  const auto curve = queueing_curve(points_of({.latency = 300, .port_rate = 1}));
  REQUIRE(curve.size() >= 3);
  CHECK(curve.front().second == Approx(300.0).epsilon(1e-9));
  CHECK(curve.back().first == Approx(32e9));
  CHECK(curve.back().second == Approx(2048.0).epsilon(1e-9));
  CHECK(curve[curve.size() - 2].second == Approx(512.0).epsilon(1e-9));
  CHECK(std::ranges::is_sorted(curve, {}, [](const auto& pair) { return pair.second; }));
}

TEST_CASE("the knee lies where latency is half as long again as that of an idle device") {
  const std::vector<std::pair<double, double>> curve{{1, 100}, {8, 120}, {10, 200}, {10, 400}};
  CHECK(queueing_knee(curve).value_or(0) == Approx(8.75).epsilon(1e-9));
  CHECK_FALSE(queueing_knee(std::vector<std::pair<double, double>>{{1, 100}, {2, 110}}));
}

TEST_CASE("a request fetches itself and the neighbours that are hits, up to the first miss") {
  CHECK(fetched_bytes(std::vector<double>{310, 690, 700}, 300, 700) == 64);
  CHECK(fetched_bytes(std::vector<double>{690, 310, 700}, 300, 700) == 32);
  CHECK(fetched_bytes(std::vector<double>{310, 305, 308}, 300, 700) == 128);
}
