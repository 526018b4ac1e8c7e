#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "analysis_heterogeneity.hpp"
#include "catch.hpp"

using namespace tomograph::memory_spectrum;

TEST_CASE("estimates of one value differ by chance, as often as chance has it") {
  std::mt19937_64 random(3);
  std::normal_distribution<double> error(0, 2);
  int rare = 0;
  for (int time = 0; time < 1000; ++time) {
    std::vector<Estimate> estimates;
    for (int i = 0; i < 8; ++i) estimates.push_back({500 + error(random), 2});
    rare += heterogeneity(estimates).chance < 0.1 ? 1 : 0;
  }
  CHECK(rare > 70);
  CHECK(rare < 130);
}

TEST_CASE("how far apart values are is found behind the errors of their estimates") {
  // By hand: weights 1, mean 14, Q = 3 * 16 + 3 * 16 = 96, freedom 5, so (96 - 5) / (6 - 6 / 6) = 18.2.
  const std::vector<Estimate> apart{{10, 1}, {10, 1}, {10, 1}, {18, 1}, {18, 1}, {18, 1}};
  const auto found = heterogeneity(apart);
  CHECK(found.deviation == Approx(std::sqrt(18.2)));
  CHECK(found.chance < 1e-15);
}

TEST_CASE("a single estimate, or none, differs from nothing; one without an error is refused") {
  CHECK(heterogeneity({}).chance == 1);
  const std::vector<Estimate> one{{10, 1}};
  CHECK(heterogeneity(one).chance == 1);
  CHECK(heterogeneity(one).deviation == 0);
  const std::vector<Estimate> exact{{10, 0}, {11, 0}};
  CHECK_THROWS_AS(heterogeneity(exact), std::invalid_argument);
}
