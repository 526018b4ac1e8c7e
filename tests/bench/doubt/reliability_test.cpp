#include "reliability.hpp"

#include "catch.hpp"

using namespace tomograph;
using namespace tomograph::bench;

namespace {

/// `count` claims of one confidence, of which so many are true.
std::vector<Claim> claims(double confidence, std::size_t count, std::size_t true_ones) {
  std::vector<Claim> all(count, {.confidence = confidence});
  for (std::size_t i = 0; i < true_ones; ++i) all[i].holds = true;
  return all;
}

std::vector<Claim> together(std::vector<Claim> first, const std::vector<Claim>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

TEST_CASE("a bin holds what its claims say and how many of them are true") {
  const auto bins = reliability(together(claims(0.6, 4, 3), claims(0.7, 4, 2)));
  REQUIRE(bins.size() == 1);
  CHECK(bins[0].claims == 8);
  CHECK(bins[0].claimed == Approx(0.65));
  CHECK(bins[0].observed == Approx(0.625));
}

TEST_CASE("the 95 % interval of a bin's share is Wilson's") {
  // p = 8/10, z = 1.95996, z^2 = 3.84146: centre (0.8 + 0.192073) / 1.384146 = 0.716740,
  // half width 1.95996 sqrt(0.016 + 0.00960365) / 1.384146 = 0.226575.
  const auto bins = reliability(claims(0.85, 10, 8));
  CHECK(bins[0].likely.low == Approx(0.716740 - 0.226575).epsilon(1e-4));
  CHECK(bins[0].likely.high == Approx(0.716740 + 0.226575).epsilon(1e-4));
}

TEST_CASE("a claim belongs to the bin that begins at its confidence, one of certainty to the last") {
  const auto bins = reliability(together(claims(0.99, 1, 1), together(claims(0.98, 2, 2), claims(1, 3, 3))));
  REQUIRE(bins.size() == 3);
  CHECK(bins[0].claims == 2);
  CHECK(bins[0].low == 0.98);
  CHECK(bins[1].claims == 1);
  CHECK(bins[1].low == 0.99);
  CHECK(bins[2].claims == 3);
  CHECK(bins[2].high == 1);
}

TEST_CASE("the expected calibration error is the mean distance of claimed and observed, by claims") {
  // 10 claims at 0.6, of which 8 are true: 0.2 off. 30 at 0.9, of which 27 are true: as claimed. 10 at 1, of which 9
  // are: 0.1 off. (10 x 0.2 + 30 x 0 + 10 x 0.1) / 50 = 0.06.
  const auto all = together(claims(0.6, 10, 8), together(claims(0.9, 30, 27), claims(1, 10, 9)));
  CHECK(expected_calibration_error(reliability(all)) == Approx(0.06));
}

TEST_CASE("too little confidence counts as much as too much") {
  CHECK(expected_calibration_error(reliability(claims(0.95, 20, 20))) == Approx(0.05));
  CHECK(expected_calibration_error(reliability(claims(0.95, 20, 18))) == Approx(0.05));
  CHECK(expected_calibration_error({}) == 0);
}

TEST_CASE("within a bin, claims too high and too low make up for each other") {
  CHECK(expected_calibration_error(reliability(together(claims(0.85, 10, 9), claims(0.87, 10, 8)))) == Approx(0.01));
}

TEST_CASE("the diagram has a mark for each bin") {
  const std::string svg = diagram(reliability(together(claims(0.6, 4, 3), claims(0.9, 10, 9))));
  CHECK(svg.find("4 claims at 0.6, true 0.75") != std::string::npos);
  CHECK(svg.find("10 claims at 0.9, true 0.9") != std::string::npos);
}
