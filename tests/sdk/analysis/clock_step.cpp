#include "tomograph/analysis/clock_step.hpp"

#include <vector>

#include "catch.hpp"

using tomograph::analysis::clock_step;

TEST_CASE("a clock's step is what all differences of latencies are multiples of") {
  CHECK(clock_step(std::vector<double>{30, 34, 42, 230}) == 4);
  CHECK(clock_step(std::vector<double>{29.5, 31.5, 29.5, 35.5}) == 2);
  CHECK(clock_step(std::vector<double>{30, 34, 41}) == 1);
}

TEST_CASE("latencies that do not show the clock's step have one of a cycle") {
  CHECK(clock_step(std::vector<double>{}) == 1);
  CHECK(clock_step(std::vector<double>{30, 30, 30}) == 1);
  CHECK(clock_step(std::vector<double>{30, 30, 2030}) == 1);
}
