#include "tomograph/parallel.hpp"

#include <stdexcept>
#include <vector>

#include "catch.hpp"

TEST_CASE("each number is handled once, however many processors share them") {
  for (const std::size_t count : {0U, 1U, 7U, 1000U}) {
    std::vector<int> handled(count, 0);
    tomograph::in_parallel(count, 3, [&](std::size_t i) { ++handled[i]; });
    CHECK(handled == std::vector<int>(count, 1));
  }
}

TEST_CASE("what one of many processors throws is thrown") {
  for (const std::size_t bad : {0U, 1U}) {
    const auto work = [bad](std::size_t i) {
      if (i == bad) throw std::runtime_error("bad");
    };
    CHECK_THROWS_WITH(tomograph::in_parallel(10, 1, work), "bad");
  }
}
