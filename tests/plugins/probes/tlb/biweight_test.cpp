#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "analysis_biweight.hpp"
#include "catch.hpp"

using namespace tomograph::tlb;

namespace {

std::vector<double> around(double location, double deviation, std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> draw(location, deviation);
  std::vector<double> sample;
  for (std::size_t i = 0; i < count; ++i) sample.push_back(std::round(draw(random)));
  return sample;
}

}  // namespace

TEST_CASE("the biweight location of a symmetric sample is its mean, within its error") {
  const auto sample = around(10.3, 3, 20000, 1);
  const Biweight found = biweight_near(sample, 12, 30);
  CHECK(std::abs(found.location - 10.3) < 4 * found.error);
  CHECK(found.error < 0.05);
  CHECK(found.share > 0.9);
}

TEST_CASE("a second mode on one side moves the mean but not the biweight location") {
  auto sample = around(10, 1.5, 8000, 2);
  const auto others = around(0, 1.5, 2000, 3);
  sample.insert(sample.end(), others.begin(), others.end());
  const Biweight found = biweight_near(sample, 8, 30);
  CHECK(found.location == Approx(10).margin(0.1));
  CHECK(found.share < 0.85);
}

TEST_CASE("where nothing lies near the start, no value counts") {
  CHECK(biweight_near(around(100, 1, 50, 4), 10, 30).share == 0);
  CHECK(biweight_near({}, 10, 30).share == 0);
  CHECK_THROWS_AS(biweight_near({}, 10, 0), std::invalid_argument);
}
