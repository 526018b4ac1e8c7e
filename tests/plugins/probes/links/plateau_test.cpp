#include "analysis_plateau.hpp"
#include "catch.hpp"

using namespace tomograph::links;

namespace {

ChasePoint point(double bytes, double seconds) { return {bytes, {seconds * 0.999, seconds, seconds * 1.001}}; }

}  // namespace

TEST_CASE("the plateau ends where more memory costs more") {
  const std::vector<ChasePoint> points{point(1, 1e-6), point(2, 1.01e-6), point(4, 0.995e-6), point(8, 1.2e-6),
                                       point(16, 1e-6)};
  const auto found = plateau(points);
  REQUIRE(found);
  CHECK(found->points == 3);
  CHECK(found->bytes == 4);
  CHECK(found->seconds.size() == 9);
}

TEST_CASE("other traffic ends no plateau") {
  const std::vector<ChasePoint> points{
      {1, {1e-6, 1.04e-6, 1.1e-6}}, {2, {1.03e-6, 1.2e-6, 1.3e-6}}, {4, {1e-6, 1.01e-6, 1.2e-6}}};
  REQUIRE(plateau(points));
  CHECK(plateau(points)->points == 3);
}

TEST_CASE("fewer than three equal points are no plateau") {
  CHECK_FALSE(plateau(std::vector{point(1, 1e-6), point(2, 1e-6), point(4, 1.2e-6)}));
  CHECK_FALSE(plateau(std::vector<ChasePoint>{}));
}
