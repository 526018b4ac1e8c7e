#include "tomograph/analysis/scatter.hpp"

#include <stdexcept>
#include <vector>

#include "catch.hpp"

using namespace tomograph;

TEST_CASE("the standard deviation divides by one less than the sample, whose order does not matter") {
  CHECK(analysis::standard_deviation(std::vector{2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}) ==
        Approx(2.138089935).epsilon(1e-9));
  CHECK(analysis::standard_deviation(std::vector{9.0, 4.0, 5.0, 4.0, 5.0, 2.0, 7.0, 4.0}) ==
        Approx(2.138089935).epsilon(1e-9));
  CHECK(analysis::standard_deviation(std::vector{3.0}) == 0);
  CHECK_THROWS_AS(analysis::standard_deviation({}), std::invalid_argument);
}

TEST_CASE("a delayed load widens the deviation of a latency, and hardly its quantiles") {
  std::vector<double> cycles(99, 30);
  cycles.push_back(1030);
  const Value scatter = analysis::scatter_of(cycles);
  CHECK(scatter.at("median").get<double>() == 30);
  CHECK(scatter.at("p95").get<double>() == 30);
  CHECK(scatter.at("stdev").get<double>() == Approx(100));
}
