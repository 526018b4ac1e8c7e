#include "tomograph/chase.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "catch.hpp"

namespace chase = tomograph::chase;

TEST_CASE("a sequential ring visits its nodes by address") {
  const chase::Ring ring{.array = 0, .start = 64, .stride = 128, .count = 3};
  CHECK(chase::node_offsets(ring) == std::vector<std::int64_t>{64, 192, 320});
}
