#include "tomograph/analysis/proportion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "catch.hpp"

using namespace tomograph::analysis;

TEST_CASE("the score interval is the textbook's") {
  // 8 of 10: 0.4902 to 0.9433 (Brown, Cai & DasGupta 2001).
  const Interval score = wilson(8, 10, 0.95);
  CHECK(score.low == Approx(0.4902).epsilon(1e-3));
  CHECK(score.high == Approx(0.9433).epsilon(1e-3));
}

TEST_CASE("intervals of rates end at 0 and 1 and say nothing without trials") {
  CHECK(wilson(0, 20, 0.95).low == 0);
  CHECK(wilson(20, 20, 0.95).high == 1);
  CHECK(wilson(0, 0, 0.95) == Interval{0, 1});
  CHECK_THROWS_AS(wilson(3, 2, 0.95), std::invalid_argument);
  CHECK_THROWS_AS(wilson(1, 2, 1), std::invalid_argument);
}

TEST_CASE("the likelihood ratio weighs two rates") {
  CHECK(log_likelihood_ratio(3, 4, 0.75, 0.25) == Approx(2 * std::log(3.0)));
  CHECK(log_likelihood_ratio(1, 4, 0.5, 0) == std::numeric_limits<double>::infinity());
  CHECK(log_likelihood_ratio(4, 4, 1, 0.5) == Approx(4 * std::log(2.0)));
  CHECK_THROWS_AS(log_likelihood_ratio(1, 2, 0, 1), std::invalid_argument);
  CHECK(posterior(std::log(9.0)) == Approx(0.9));
  CHECK(posterior(std::log(9.0), 0.1) == Approx(0.5));
  CHECK(posterior(1e9) == 1);
  CHECK(posterior(-1e9) == 0);
}

TEST_CASE("agreement among two values has its closed form") {
  // One alternative, all n agree: L(n) / L(0) = (1 - 2^-(n+1)) / 2^-(n+1).
  for (const std::size_t n : {1u, 5u, 9u})
    CHECK(confidence_from_agreement(n, n, 1) ==
          Approx((1 - std::exp2(-static_cast<double>(n) - 1)) * (1 - systematic_error)));
  CHECK(confidence_from_agreement(0, 0, 1) == Approx(0.5 * (1 - systematic_error)));
  CHECK(confidence_from_agreement(0, 0, 9) == Approx(0.1 * (1 - systematic_error)));
}

TEST_CASE("confidence grows with agreement, falls with dissent and never reaches 1") {
  CHECK(confidence_from_agreement(5, 5, 3) > confidence_from_agreement(4, 4, 3));
  CHECK(confidence_from_agreement(4, 5, 3) < confidence_from_agreement(5, 5, 3));
  CHECK(confidence_from_agreement(5, 5, 30) > confidence_from_agreement(5, 5, 3));
  CHECK(confidence_from_agreement(5, 10, 3) < 0.51);
  CHECK(confidence_from_agreement(2, 10, 3) < 0.01);
  CHECK(confidence_from_agreement(100000, 100000, 1000) == Approx(1 - systematic_error).epsilon(1e-9));
  CHECK(confidence_from_agreement(100000, 100000, 1000) < 1);
  CHECK_THROWS_AS(confidence_from_agreement(1, 1, 0), std::invalid_argument);
}

TEST_CASE("a majority is right as often as its confidence says") {
  // Values drawn from the model itself: p uniform above guessing, wrong values alike, 4 alternatives, 5 trials.
  std::mt19937_64 random(41);
  std::uniform_real_distribution<double> rate(0.2, 1);
  std::uniform_real_distribution<double> uniform(0, 1);
  double promised = 0;
  int right = 0;
  constexpr int rounds = 40000;
  for (int round = 0; round < rounds; ++round) {
    const double p = rate(random);
    std::size_t votes[5] = {};
    for (int trial = 0; trial < 5; ++trial)
      ++votes[uniform(random) < p ? 0 : 1 + static_cast<std::size_t>(uniform(random) * 4)];
    const auto winner = static_cast<std::size_t>(std::max_element(votes, votes + 5) - votes);
    promised += confidence_from_agreement(votes[winner], 5, 4);
    if (winner == 0) ++right;
  }
  CHECK(right >= promised);
  CHECK(right <= promised * 1.25);
}
