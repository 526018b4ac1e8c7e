#include "tomograph/analysis/step_fit.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "catch.hpp"

using namespace tomograph::analysis;

namespace {

std::vector<double> sizes(double first, double step, std::size_t count) {
  std::vector<double> x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = first + step * static_cast<double>(i);
  return x;
}

std::vector<double> ramp(const std::vector<double>& x, double lower, double upper, double knee, double top) {
  std::vector<double> y;
  for (const double size : x) y.push_back(std::lerp(lower, upper, std::clamp((size - knee) / (top - knee), 0.0, 1.0)));
  return y;
}

}  // namespace

TEST_CASE("isotonic smoothing pools what falls") {
  CHECK(isotonic(std::vector<double>{1, 3, 2, 4}) == std::vector<double>{1, 2.5, 2.5, 4});
  CHECK(isotonic(std::vector<double>{3, 2, 1}) == std::vector<double>{2, 2, 2});
  CHECK(isotonic(std::vector<double>{4, 1}, std::vector<double>{1, 3}) == std::vector<double>{1.75, 1.75});
  CHECK(isotonic({}).empty());
  CHECK_THROWS_AS(isotonic(std::vector<double>{1, 2}, std::vector<double>{1}), std::invalid_argument);
  CHECK_THROWS_AS(isotonic(std::vector<double>{1, 2}, std::vector<double>{1, 0}), std::invalid_argument);
}

TEST_CASE("a sharp step lies between the two sizes around it") {
  const std::vector<double> x = sizes(20480, 1024, 24);
  std::vector<double> y(24, 32.0);
  std::fill(y.begin() + 12, y.end(), 210.0);
  const auto step = fit_step(x, y);
  REQUIRE(step);
  CHECK(step->lower == Approx(32));
  CHECK(step->upper == Approx(210));
  CHECK(step->knee == Interval{x[11], x[12]});
  CHECK(step->top == Interval{x[11], x[12]});
  CHECK(step->p_value < 1e-6);
}

TEST_CASE("a clean ramp begins and ends within one size of the truth") {
  const std::vector<double> x = sizes(0, 1, 60);
  for (const double knee : {20.0, 20.3, 20.5, 20.7}) {
    for (const double length : {4.0, 9.5, 20.0}) {
      const auto step = fit_step(x, ramp(x, 35, 270, knee, knee + length));
      INFO("knee " << knee << ", length " << length);
      REQUIRE(step);
      CHECK(step->lower == Approx(35).margin(3));
      CHECK(step->upper == Approx(270).margin(3));
      CHECK(step->knee.low <= knee);
      CHECK(knee <= step->knee.high);
      CHECK(step->knee.high - step->knee.low <= 4);
      CHECK(step->top.low <= knee + length);
      CHECK(knee + length <= step->top.high);
    }
  }
}

TEST_CASE("the intervals hold the knee of noisy ramps") {
  std::mt19937_64 random(71);
  std::normal_distribution<double> noise(0, 6);
  std::uniform_real_distribution<double> place(15, 30);
  const std::vector<double> x = sizes(0, 1, 60);
  int held = 0;
  double width = 0;
  constexpr int rounds = 200;
  for (int round = 0; round < rounds; ++round) {
    const double knee = place(random);
    std::vector<double> y = ramp(x, 35, 270, knee, knee + 12);
    for (double& level : y) level += noise(random);
    const auto step = fit_step(x, y);
    REQUIRE(step);
    if (step->knee.low <= knee && knee <= step->knee.high) ++held;
    width += (step->knee.high - step->knee.low) / rounds;
  }
  CHECK(held >= 0.98 * rounds);
  CHECK(width < 6);
}

TEST_CASE("noise without a step has none") {
  std::mt19937_64 random(73);
  std::normal_distribution<double> noise(270, 6);
  int found = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<double> y(30);
    for (double& level : y) level = noise(random);
    if (fit_step(sizes(0, 1, 30), y)) ++found;
  }
  CHECK(found <= 5);
}

TEST_CASE("no step is made up from too few, constant or falling levels") {
  CHECK_FALSE(fit_step(sizes(0, 1, 5), std::vector<double>{1, 1, 1, 9, 9}));
  CHECK_FALSE(fit_step(sizes(0, 1, 20), std::vector<double>(20, 32.0)));
  std::vector<double> falling(20, 9.0);
  std::fill(falling.begin() + 10, falling.end(), 1.0);
  CHECK_FALSE(fit_step(sizes(0, 1, 20), falling));
  CHECK_THROWS_AS(fit_step(sizes(0, 1, 3), falling), std::invalid_argument);
  CHECK_THROWS_AS(fit_step(sizes(0, 0, 20), falling), std::invalid_argument);
  CHECK_THROWS_AS(fit_step(sizes(0, 1, 20), falling, 1), std::invalid_argument);
}
