#include <algorithm>

#include "analysis_change_point.hpp"
#include "catch.hpp"

using namespace tomograph::classical_methods;

TEST_CASE("one slow load may be an interruption, two are misses") {
  CHECK_FALSE(shows_misses(std::vector<double>{30, 30, 900}, 100));
  CHECK(shows_misses(std::vector<double>{30, 200, 900}, 100));
}

TEST_CASE("the search ends when the region is an eighth of its lower boundary, or 128 B") {
  CHECK_FALSE(Region{8192, 9728}.is_narrow());
  CHECK(Region{8192, 9216}.is_narrow());
  CHECK(Region{256, 384}.is_narrow());
}

TEST_CASE("the change lies well inside the sizes, which are whole nodes and ascend") {
  const Region region{8192, 9216};
  const auto sizes = region.sizes();
  CHECK(sizes.front() == 7168);
  CHECK((sizes.back() > 10000 && sizes.back() <= 10240));
  CHECK(sizes.size() > 90);
  CHECK(std::ranges::is_sorted(sizes, std::ranges::less_equal{}));
  CHECK(std::ranges::all_of(sizes, [](auto bytes) { return bytes % 8 == 0; }));
  CHECK(Region{128, 256}.sizes().front() == 128);
}
