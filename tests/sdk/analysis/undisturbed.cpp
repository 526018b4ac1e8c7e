#include "tomograph/analysis/undisturbed.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "catch.hpp"

using namespace tomograph::analysis;

namespace {

constexpr double confidence = 0.999;

}  // namespace

TEST_CASE("repetitions that other traffic slows do not change what a link does undisturbed") {
  std::vector<double> rates(40, 50e9);
  for (std::size_t i = 0; i < 60; ++i) rates.push_back(50e9 * (0.5 + 0.008 * static_cast<double>(i)));
  const Undisturbed found = undisturbed(rates, Faster::more, confidence);
  CHECK(found.value == Approx(50e9));
  CHECK(found.low == Approx(50e9).epsilon(0.01));
  CHECK(found.coverage >= 0.999);
  std::vector<double> times;
  for (const double rate : rates) times.push_back(1 / rate);
  CHECK(undisturbed(times, Faster::less, confidence).value == Approx(1 / 50e9));
}

TEST_CASE("the interval of the fastest tenth covers its quantile as often as it says") {
  std::mt19937 random(19);
  std::exponential_distribution<double> delay(1);
  const double quantile = -std::log(0.9);
  constexpr int samples = 4000;
  int covered = 0;
  double claimed = 0;
  for (int sample = 0; sample < samples; ++sample) {
    std::vector<double> times(63);
    std::ranges::generate(times, [&] { return delay(random); });
    const Undisturbed found = undisturbed(times, Faster::less, 0.95);
    covered += found.low <= quantile && quantile <= found.high ? 1 : 0;
    claimed = found.coverage;
  }
  CHECK(claimed >= 0.95);
  CHECK(covered / static_cast<double>(samples) == Approx(claimed).margin(0.012));  // 3.5 standard errors
}

TEST_CASE("the interval of a small sample is all of it, and claims less") {
  const Undisturbed found = undisturbed(std::vector{3.0, 1.0, 2.0}, Faster::less, confidence);
  CHECK(found.low == 1);
  CHECK(found.high == 3);
  CHECK(found.coverage == Approx(1 - 0.9 * 0.9 * 0.9 - 0.1 * 0.1 * 0.1));
  CHECK_THROWS_AS(undisturbed({}, Faster::less, confidence), std::invalid_argument);
}

TEST_CASE("an interval that allows for other runs covers at least what they may find") {
  const Undisturbed narrow = widened({.value = 10, .low = 9.9, .high = 10.1}, 1.25);
  CHECK(narrow.low == Approx(8));
  CHECK(narrow.high == Approx(12.5));
  const Undisturbed wide = widened({.value = 10, .low = 5, .high = 20}, 1.25);
  CHECK(wide.low == 5);
  CHECK(wide.high == 20);
}
