#include "tomograph/analysis/robust_statistics.hpp"

#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "catch.hpp"

using namespace tomograph::analysis;

TEST_CASE("quantiles interpolate between order statistics") {
  const std::vector<double> sample{40, 10, 30, 20};
  CHECK(quantile(sample, 0) == 10);
  CHECK(quantile(sample, 1) == 40);
  CHECK(quantile(sample, 0.5) == 25);
  CHECK(quantile(sample, 0.1) == Approx(13));
  CHECK_THROWS_AS(quantile(sample, 1.5), std::invalid_argument);
  CHECK_THROWS_AS(quantile({}, 0.5), std::invalid_argument);
}

TEST_CASE("one refresh does not move median, deviation and trimmed mean") {
  const std::vector<double> sample{33, 32, 34, 32, 33, 31, 33, 1400, 32, 33};
  CHECK(median(sample) == 33);
  CHECK(median_absolute_deviation(sample) == 1);
  CHECK(trimmed_mean(sample, 0.1) == Approx(32.75));
}

TEST_CASE("trimming nothing gives the mean") {
  CHECK(trimmed_mean(std::vector<double>{1, 2, 6}, 0) == 3);
  CHECK(trimmed_mean(std::vector<double>{1, 2, 6}, 0.3) == 3);
  CHECK(trimmed_mean(std::vector<double>{1, 2, 6}, 0.34) == 2);
  CHECK_THROWS_AS(trimmed_mean(std::vector<double>{1, 2, 6}, 0.5), std::invalid_argument);
}

TEST_CASE("the interval of the median has its textbook order statistics") {
  // n = 10: x(2) and x(9) cover the median with probability 1 - 2 * 11 / 1024 = 0.979.
  const std::vector<double> ten{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const MedianInterval interval = median_interval(ten, 0.95);
  CHECK(interval.low == 2);
  CHECK(interval.high == 9);
  CHECK(interval.coverage == Approx(1 - 22.0 / 1024));
}

TEST_CASE("an interval of the median from too small a sample says what it covers") {
  const MedianInterval interval = median_interval(std::vector<double>{5, 3, 4}, 0.95);
  CHECK(interval.low == 3);
  CHECK(interval.high == 5);
  CHECK(interval.coverage == Approx(0.75));
  CHECK(median_interval(std::vector<double>{5}, 0.95).coverage == 0);
}

TEST_CASE("the interval of the median covers it as often as promised") {
  std::mt19937_64 random(1);
  std::exponential_distribution<double> draw(1);
  int covered = 0;
  constexpr int rounds = 2000;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> sample(101);
    for (double& x : sample) x = draw(random);
    const MedianInterval interval = median_interval(sample, 0.95);
    if (interval.low <= std::log(2) && std::log(2) <= interval.high) ++covered;
  }
  CHECK(covered >= 0.94 * rounds);
  CHECK(covered <= 0.98 * rounds);
}
