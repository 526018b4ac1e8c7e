#include "fleet/outliers.hpp"

#include <algorithm>
#include <random>

#include "catch.hpp"

using namespace tomograph::host;
using Catch::Matchers::WithinAbs;

namespace {

std::vector<double> normal_values(std::mt19937_64& random, std::size_t count) {
  std::normal_distribution<double> normal(100, 1);
  std::vector<double> values(count);
  std::ranges::generate(values, [&] { return normal(random); });
  return values;
}

/// Share of samples of normal values in which anything is called an outlier.
double false_alarms(std::size_t count, double rate, int samples) {
  std::mt19937_64 random(count);
  OutlierTest test(rate);
  int alarms = 0;
  for (int i = 0; i < samples; ++i) alarms += test.outliers(normal_values(random, count)).empty() ? 0 : 1;
  return static_cast<double>(alarms) / samples;
}

}  // namespace

TEST_CASE("the generalized ESD test finds the outliers of Rosner's example") {
  // Rosner 1983; NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.5.17.3: three outliers at 5 %, of which the third
  // decides. It has a twelfth of the rate here.
  const std::vector<double> rosner{-0.25, 0.68, 0.94, 1.15, 1.20, 1.26, 1.26, 1.34, 1.38, 1.43, 1.49, 1.49, 1.55, 1.56,
                                   1.58,  1.65, 1.69, 1.70, 1.76, 1.77, 1.81, 1.91, 1.94, 1.96, 1.99, 2.06, 2.09, 2.10,
                                   2.14,  2.15, 2.23, 2.24, 2.26, 2.35, 2.37, 2.40, 2.47, 2.54, 2.62, 2.64, 2.90, 2.92,
                                   2.92,  2.93, 3.21, 3.26, 3.30, 3.59, 3.68, 4.30, 4.64, 5.34, 5.42, 6.01};
  CHECK(OutlierTest(12 * 0.05).outliers(rosner) == std::vector<std::size_t>{53, 52, 51});
}

TEST_CASE("samples of normal values have outliers at the stated rate at most, however small they are") {
  for (const std::size_t count : {3U, 4U, 5U, 8U, 16U, 64U}) {
    INFO(count);
    // Three standard errors of 1000 samples above the rate.
    CHECK(false_alarms(count, 0.05, 1000) < 0.05 + 3 * 0.0069);
  }
}

TEST_CASE("up to a quarter of a sample is found although the outliers hide each other") {
  std::mt19937_64 random(1);
  std::vector<double> values = normal_values(random, 32);
  for (std::size_t i = 0; i < 8; ++i) values[4 * i] += 30;
  CHECK(OutlierTest(1e-4).outliers(values).size() == 8);
}

TEST_CASE("a value among equal ones is an outlier, equal values have none") {
  CHECK(OutlierTest(1e-9).outliers(std::vector<double>{5, 5, 5, 6, 5, 5}) == std::vector<std::size_t>{3});
  CHECK(OutlierTest(0.05).outliers(std::vector<double>(10, 5)).empty());
  CHECK(OutlierTest(0.05).outliers(std::vector<double>{1, 100}).empty());
}

TEST_CASE("the robust scale is that of normal values, and of the rest where most are equal") {
  std::mt19937_64 random(2);
  std::vector<double> values = normal_values(random, 5001);
  values[0] = 1e9;
  CHECK_THAT(robust_scale(values).median, WithinAbs(100, 0.06));
  CHECK_THAT(robust_scale(values).spread, WithinAbs(1, 0.06));
  CHECK_THAT(robust_scale(std::vector<double>{1, 1, 1, 3}).spread, WithinAbs(1.2533 / 2, 1e-9));
  CHECK(robust_scale(std::vector<double>{4, 4}).spread == 0);
}
