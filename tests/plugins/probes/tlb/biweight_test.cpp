#include "biweight.hpp"

#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "catch.hpp"

using namespace tomograph::analysis;

namespace {

std::vector<double> around(double location, double deviation, std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> draw(location, deviation);
  std::vector<double> sample;
  for (std::size_t i = 0; i < count; ++i) sample.push_back(std::round(draw(random)));
  return sample;
}

}  // namespace

TEST_CASE("the bulk of a symmetric sample lies at its mean, with an honest error") {
  const auto sample = around(10.3, 3, 20000, 1);
  const Bulk bulk = bulk_near(sample, 12, 30);
  CHECK(std::abs(bulk.location - 10.3) < 4 * bulk.deviation);
  CHECK(bulk.deviation < 0.05);
  CHECK(bulk.share > 0.9);
}

TEST_CASE("a second mode on one side does not move the bulk, though it moves the mean") {
  auto sample = around(10, 1.5, 8000, 2);
  const auto others = around(0, 1.5, 2000, 3);
  sample.insert(sample.end(), others.begin(), others.end());
  const Bulk bulk = bulk_near(sample, 8, 30);
  CHECK(bulk.location == Approx(10).margin(0.1));
  CHECK(bulk.share < 0.85);
}

TEST_CASE("where nothing lies there is no bulk") {
  CHECK(bulk_near(around(100, 1, 50, 4), 10, 30).share == 0);
  CHECK(bulk_near({}, 10, 30).share == 0);
  CHECK_THROWS_AS(bulk_near({}, 10, 0), std::invalid_argument);
}
