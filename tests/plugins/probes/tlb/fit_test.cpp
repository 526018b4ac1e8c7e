#include <random>

#include "analysis_fit.hpp"
#include "catch.hpp"

using namespace tomograph;
using namespace tomograph::tlb;

namespace {

constexpr Level blurred{.hit = 0, .miss = 30, .noise = 12};

/// A walk of noisy visits, of which so many in each pass miss, at random pages.
ExtraLatency walk_with(const Level& level, std::size_t pages, std::size_t passes, int misses, std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, level.noise);
  ExtraLatency seen{.visits = pages};
  for (std::size_t pass = 0; pass < passes; ++pass) {
    std::vector<double> cycles(pages, level.hit);
    for (int miss = 0; miss < misses; ++miss) cycles[random() % pages] = level.miss;
    for (double& visit : cycles) seen.cycles.push_back(visit + noise(random));
  }
  return seen;
}

Misses misses_of(const Level& level, std::size_t pages, std::size_t passes, int misses, std::mt19937_64& random) {
  Misses seen(level, pages);
  seen.add(walk_with(level, pages, passes, misses, random));
  return seen;
}

}  // namespace

TEST_CASE(
    "behind noise, walks that fit exceed the threshold as half of their pages do, and one page too many does not") {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 50; ++trial) {
    const Misses half = misses_of(blurred, 16, 2000, 0, random);
    INFO(trial);
    CHECK(exceed_alike(misses_of(blurred, 32, 1000, 0, random), half) == true);
    CHECK(exceed_alike(misses_of(blurred, 32, 1000, 2, random), half) == false);
  }
}

TEST_CASE("behind noise, few visits do not tell whether walks exceed the threshold as half of their pages do") {
  std::mt19937_64 random(2);
  const Misses half = misses_of(blurred, 256, 8, 0, random);
  CHECK_FALSE(exceed_alike(misses_of(blurred, 512, 4, 0, random), half).has_value());
  CHECK_FALSE(exceed_alike(misses_of(blurred, 512, 4, 2, random), half).has_value());
}

TEST_CASE("noise that is larger than it was taken for exceeds the threshold alike") {
  std::mt19937_64 random(3);
  Level noisier = blurred;
  noisier.noise = 16;
  const auto walk = [&](std::size_t pages, std::size_t passes, int misses) {
    Misses seen(blurred, pages);
    seen.add(walk_with(noisier, pages, passes, misses, random));
    return seen;
  };
  const Misses half = walk(16, 4000, 0);
  CHECK(exceed_alike(walk(32, 2000, 0), half) == true);
  CHECK(exceed_alike(walk(32, 2000, 2), half) == false);
}

TEST_CASE("a page misses if it does in every walk, and a level fits up to one miss in each pass") {
  constexpr Level sharp{.hit = 0, .miss = 100, .noise = 1};
  Misses seen(sharp, 4);
  seen.add({.visits = 4, .cycles = {0, 100, 0, 100, 0, 100, 100, 0}});
  CHECK(seen.missed() == std::vector<bool>{false, true, false, false});
  CHECK(seen.passes() == 2);
  CHECK(seen.above() == 4);
  CHECK_FALSE(seen.fit());
  seen.add({.visits = 4, .cycles = std::vector<double>(8)});
  CHECK(seen.none_missed());
  CHECK(seen.fit());
  CHECK_FALSE(seen.are_few());
}
