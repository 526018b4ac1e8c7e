#include "tomograph/analysis/latency_modes.hpp"

#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "catch.hpp"

using namespace tomograph::analysis;

namespace {

/// Whole cycles, as a clock gives them.
void add(std::vector<double>& sample, std::mt19937_64& random, std::size_t count, double mean, double deviation) {
  std::normal_distribution<double> draw(mean, deviation);
  for (std::size_t i = 0; i < count; ++i) sample.push_back(std::round(draw(random)));
}

void add_refreshes(std::vector<double>& sample, std::mt19937_64& random, std::size_t count) {
  std::uniform_real_distribution<double> draw(800, 2800);
  for (std::size_t i = 0; i < count; ++i) sample.push_back(std::round(draw(random)));
}

}  // namespace

TEST_CASE("hits, near misses and far misses are three modes, refreshes none") {
  std::mt19937_64 random(7);
  std::vector<double> sample;
  add(sample, random, 600, 34, 1.2);
  add(sample, random, 300, 270, 6);
  add(sample, random, 100, 700, 12);
  add_refreshes(sample, random, 4);
  const std::vector<Mode> found = modes(sample);
  REQUIRE(found.size() == 3);
  CHECK(found[0].location == Approx(34).margin(1));
  CHECK(found[1].location == Approx(270).margin(3));
  CHECK(found[2].location == Approx(700).margin(6));
  CHECK(found[0].weight == Approx(600.0 / 1004));
  CHECK(found[1].high < found[2].low);
  CHECK(found[2].high < 760);
}

TEST_CASE("one constant latency is one mode without width") {
  const std::vector<double> sample(50, 32.0);
  const std::vector<Mode> found = modes(sample);
  REQUIRE(found.size() == 1);
  CHECK(found[0].location == 32);
  CHECK(found[0].low == 32);
  CHECK(found[0].high == 32);
  CHECK(found[0].weight == 1);
}

TEST_CASE("no sample has no modes, one load is an outlier") {
  CHECK(modes({}).empty());
  CHECK(modes(std::vector<double>{35}).empty());
  CHECK_THROWS_AS(modes(std::vector<double>{1, 2}, {.absolute = 0}), std::invalid_argument);
}

TEST_CASE("jitter of a few cycles never becomes two modes") {
  std::mt19937_64 random(11);
  int split = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<double> sample;
    add(sample, random, 20 + static_cast<std::size_t>(round), 30 + 2 * round, 1 + 0.01 * round);
    add_refreshes(sample, random, static_cast<std::size_t>(round) / 250);
    if (modes(sample).size() != 1) ++split;
  }
  CHECK(split <= 2);
}

TEST_CASE("modes 20 cycles apart are told apart at L1 latencies") {
  std::mt19937_64 random(13);
  for (int round = 0; round < 100; ++round) {
    std::vector<double> sample;
    add(sample, random, 200, 34, 1.5);
    add(sample, random, 60, 54, 1.5);
    CHECK(modes(sample).size() == 2);
  }
}

TEST_CASE("modes that touch are split at the valley of their density") {
  std::mt19937_64 random(17);
  std::vector<double> sample;
  add(sample, random, 5000, 250, 8);
  add(sample, random, 5000, 310, 8);
  const std::vector<Mode> found = modes(sample);
  REQUIRE(found.size() == 2);
  CHECK(found[0].location == Approx(250).margin(1));
  CHECK(found[1].location == Approx(310).margin(1));
}

TEST_CASE("the threshold lies in the gap although each sample holds loads of the other kind") {
  std::mt19937_64 random(19);
  std::vector<double> hits;
  std::vector<double> misses;
  add(hits, random, 1000, 35, 1.5);
  hits.insert(hits.end(), {240, 262, 900});
  add(misses, random, 1000, 270, 12);
  misses.insert(misses.end(), {36, 34});
  const auto threshold = threshold_between(hits, misses);
  REQUIRE(threshold);
  CHECK(threshold->cycles > 50);
  CHECK(threshold->cycles < 225);
  CHECK(threshold->false_miss == Approx(3.5 / 1004));
  CHECK(threshold->false_hit == Approx(2.5 / 1003));
}

TEST_CASE("a threshold never claims to be free of error") {
  const auto threshold = threshold_between(std::vector<double>{30}, std::vector<double>{300});
  REQUIRE(threshold);
  CHECK(threshold->cycles == 165);
  CHECK(threshold->false_miss == 0.25);
  CHECK(threshold->false_hit == 0.25);
}

TEST_CASE("samples that overlap have no threshold") {
  std::mt19937_64 random(23);
  std::vector<double> hits;
  std::vector<double> misses;
  add(hits, random, 500, 270, 10);
  add(misses, random, 500, 290, 10);
  CHECK_FALSE(threshold_between(hits, misses));
  CHECK_FALSE(threshold_between(hits, hits));
  CHECK_FALSE(threshold_between(misses, hits));
  CHECK_FALSE(threshold_between({}, misses));
  CHECK_FALSE(threshold_between(std::vector<double>{30, 30}, std::vector<double>{30}));
}
