#include <cmath>
#include <random>
#include <vector>

#include "analysis_overlap.hpp"
#include "catch.hpp"

using tomograph::tlb::upper_mode;
using tomograph::tlb::UpperMode;

namespace {

/// So many values of a mode at 0, of one at `location`, and few anywhere.
std::vector<double> mixed(int lower, int upper, double location, double deviation, unsigned seed) {
  constexpr int few = 20;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, deviation);
  std::uniform_real_distribution<double> anywhere(-40, 80);
  std::vector<double> sample;
  for (int i = 0; i < lower; ++i) sample.push_back(normal(random));
  for (int i = 0; i < upper; ++i) sample.push_back(location + normal(random));
  for (int i = 0; i < few; ++i) sample.push_back(anywhere(random));
  return sample;
}

}  // namespace

TEST_CASE("a mode that overlaps another one is found within its error, whatever the shares of both") {
  for (const int lower : {0, 300, 1500}) {
    int outside = 0;
    constexpr unsigned samples = 40;
    for (unsigned seed = 0; seed < samples; ++seed) {
      const auto sample = mixed(lower, 2000, 29, 9, seed);
      const UpperMode found = upper_mode(sample, -45, 75, 26, 6);
      CHECK(found.share == Approx(2000.0 / static_cast<double>(sample.size())).margin(0.05));
      CHECK(found.error < 0.7);
      outside += std::abs(found.location - 29) > 4 * found.error ? 1 : 0;
    }
    CHECK(outside == 0);
  }
}

TEST_CASE("a mode is not there where no value is") {
  CHECK(upper_mode(std::vector<double>(50, 500.0), -45, 75, 29, 6).share == 0);
  CHECK(upper_mode({}, -45, 75, 29, 6).share == 0);
}
