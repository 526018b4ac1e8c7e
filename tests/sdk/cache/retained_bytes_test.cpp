#include "tomograph/cache/retained_bytes.hpp"

#include <stdexcept>
#include <vector>

#include "catch.hpp"

using namespace tomograph;

TEST_CASE("counts level off at the mean of those that no larger footprint exceeds") {
  using Bytes = std::vector<cache::RetainedBytes>;
  CHECK(cache::level_of(Bytes{{100, 1}, {102, 1}}).mean == Approx(101));
  CHECK(cache::level_of(Bytes{{80, 1}, {100, 1}, {102, 1}}).mean == Approx(101));
  CHECK(cache::level_of(Bytes{{43, 1}, {53, 1}, {64, 1}, {82, 1}, {84, 1}}).mean == Approx(83));
  CHECK(cache::level_of(Bytes{{100, 1}, {110, 100}}).mean == Approx(100).epsilon(0.01));
  // Values that scatter by more than their errors say are as sure as their scatter.
  CHECK(cache::level_of(Bytes{{110, 1}, {90, 1}}).error == Approx(10));
  CHECK_THROWS_AS(cache::level_of({}), std::invalid_argument);
  const auto pooled = cache::pooled(Bytes{{110, 1, 2, 3}, {90, 1, 4, 3}});
  CHECK(pooled.scatter == Approx(200 + 6));
  CHECK(pooled.degrees == 1 + 6);
}
