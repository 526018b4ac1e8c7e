#include "tomograph/analysis/change_point.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "catch.hpp"

using namespace tomograph::analysis;

namespace {

std::vector<double> noise(std::mt19937_64& random, std::size_t count, double mean, double deviation) {
  std::normal_distribution<double> draw(mean, deviation);
  std::vector<double> series(count);
  for (double& x : series) x = draw(random);
  return series;
}

double cost(std::span<const double> segment) {
  double mean = 0;
  for (const double x : segment) mean += x / static_cast<double>(segment.size());
  double sum = 0;
  for (const double x : segment) sum += (x - mean) * (x - mean);
  return sum;
}

/// Eq. 3.1 of Größler 2022, as written.
std::size_t by_exhaustion(std::span<const double> series) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < series.size(); ++i) {
    const double sum = cost(series.first(i)) + cost(series.subspan(i));
    if (sum < least) {
      least = sum;
      best = i;
    }
  }
  return best;
}

}  // namespace

TEST_CASE("the distance is taken from the vector of ones") {
  CHECK(distance_to_ones(std::vector<double>{1, 1, 1}) == 0);
  CHECK(distance_to_ones(std::vector<double>{4, 5}) == 5);
}

TEST_CASE("reducing gives one number per sample and refuses unequal lengths") {
  const std::vector<std::vector<double>> samples{{1, 1}, {4, 5}};
  CHECK(reduce(samples) == std::vector<double>{0, 5});
  CHECK_THROWS_AS(reduce(std::vector<std::vector<double>>{{1, 1}, {1}}), std::invalid_argument);
}

TEST_CASE("the thesis' example changes where the level jumps") {
  CHECK(most_likely_change(std::vector<double>{1, 1, 1, 1, 1.3, 1.3, 1.3, 1.3}) == 4u);
  CHECK(most_likely_change(std::vector<double>{1, 1, 1, 1, 4, 5, 6, 7}) == 4u);
  CHECK_FALSE(most_likely_change(std::vector<double>{1}));
}

TEST_CASE("prefix sums find the same change as the published search over all splits") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> series = noise(random, 2 + static_cast<std::size_t>(round) % 60, 1e6, 3);
    for (std::size_t i = series.size() / 3; i < series.size(); ++i) series[i] += round % 10;
    CHECK(most_likely_change(series) == by_exhaustion(series));
  }
}

TEST_CASE("the statistic is the largest distance of the distribution functions") {
  CHECK(kolmogorov_smirnov_statistic(std::vector<double>{1, 2, 3}, std::vector<double>{4, 5}) == 1);
  CHECK(kolmogorov_smirnov_statistic(std::vector<double>{1, 2, 2, 3}, std::vector<double>{2, 2}) == 0.25);
  CHECK(kolmogorov_smirnov_statistic(std::vector<double>{5, 5}, std::vector<double>{5}) == 0);
  CHECK(kolmogorov_smirnov_statistic(std::vector<double>{1, 3, 5}, std::vector<double>{2, 4, 6}) == Approx(1.0 / 3));
  CHECK_THROWS_AS(kolmogorov_smirnov_statistic({}, std::vector<double>{1}), std::invalid_argument);
}

TEST_CASE("critical values are the textbook's") {
  // c(alpha) sqrt((n + m) / (n m)) with c = 1.224, 1.358, 1.628, 1.949 for alpha = 0.10, 0.05, 0.01, 0.001.
  const double root = std::sqrt(300.0 / (100 * 200));
  CHECK(kolmogorov_smirnov_critical(100, 200, 0.10) == Approx(1.224 * root).epsilon(1e-3));
  CHECK(kolmogorov_smirnov_critical(100, 200, 0.05) == Approx(1.358 * root).epsilon(1e-3));
  CHECK(kolmogorov_smirnov_critical(200, 100, 0.01) == Approx(1.628 * root).epsilon(1e-3));
  CHECK(kolmogorov_smirnov_critical(100, 200, 0.001) == Approx(1.949 * root).epsilon(1e-3));
  CHECK_THROWS_AS(kolmogorov_smirnov_critical(0, 1, 0.05), std::invalid_argument);
  CHECK_THROWS_AS(kolmogorov_smirnov_critical(1, 1, 1), std::invalid_argument);
}

TEST_CASE("a clean step is found where it is and accepted") {
  std::vector<double> series(25, 100.0);
  series.resize(50, 400.0);
  const auto change = find_change_point(series);
  REQUIRE(change);
  CHECK(change->index == 25);
  CHECK(change->statistic == 1);
  CHECK(change->accepted);
}

TEST_CASE("a step in noise is found within one size") {
  std::mt19937_64 random(5);
  int right = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<double> series = noise(random, 30, 100, 5);
    const std::vector<double> after = noise(random, 20, 125, 5);
    series.insert(series.end(), after.begin(), after.end());
    const auto change = find_change_point(series, 0.01);
    REQUIRE(change);
    if (change->accepted && change->index >= 29 && change->index <= 31) ++right;
  }
  CHECK(right >= 297);
}

TEST_CASE("two samples of one distribution are told apart no more often than alpha") {
  std::mt19937_64 random(29);
  constexpr int rounds = 4000;
  for (const double alpha : {0.05, 0.01}) {
    int rejected = 0;
    for (int round = 0; round < rounds; ++round) {
      const std::vector<double> a = noise(random, 60, 0, 1);
      const std::vector<double> b = noise(random, 90, 0, 1);
      if (kolmogorov_smirnov_statistic(a, b) > kolmogorov_smirnov_critical(60, 90, alpha)) ++rejected;
    }
    CHECK(rejected <= alpha * rounds + 3 * std::sqrt(alpha * rounds));
    CHECK(rejected >= alpha * rounds / 4);
  }
}

TEST_CASE("the published test accepts some series without change, for the split was chosen by the same data") {
  std::mt19937_64 random(31);
  constexpr int rounds = 4000;
  int accepted = 0;
  for (int round = 0; round < rounds; ++round) accepted += find_change_point(noise(random, 64, 300, 4), 0.05)->accepted;
  CHECK(accepted > 0.1 * rounds);
  CHECK(accepted < 0.4 * rounds);
}

TEST_CASE("a constant series has no change") {
  const auto change = find_change_point(std::vector<double>(40, 17.0));
  REQUIRE(change);
  CHECK_FALSE(change->accepted);
}
