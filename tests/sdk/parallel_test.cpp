#include <stdexcept>
#include <vector>

#include "catch.hpp"
#include "tomograph/parallel.hpp"

TEST_CASE("each number is handled once, however many processors share them") {
  for (const std::size_t count : {0, 1, 7, 1000}) {
    std::vector<int> handled(count);
    tomograph::in_parallel(count, 3, [&](std::size_t i) { ++handled[i]; });
    CHECK(handled == std::vector<int>(count, 1));
  }
}

TEST_CASE("what one of many processors throws is thrown") {
  for (const std::size_t bad : {0, 1}) {
    const auto work = [bad](std::size_t i) {
      if (i == bad) throw std::runtime_error("bad");
    };
    CHECK_THROWS_WITH(tomograph::in_parallel(10, 1, work), "bad");
  }
}
