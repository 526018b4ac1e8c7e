#include "tomograph/analysis/occupancy.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "catch.hpp"

using namespace tomograph::analysis;

namespace {

/// Retained lines of one draw of places.
std::size_t draw_retained(std::mt19937_64& random, std::size_t lines, std::size_t sets, std::size_t ways) {
  std::uniform_int_distribution<std::size_t> place(0, sets - 1);
  std::vector<std::size_t> in_set(sets);
  for (std::size_t i = 0; i < lines; ++i) ++in_set[place(random)];
  std::size_t retained = 0;
  for (const std::size_t lines_here : in_set) retained += std::min(lines_here, ways);
  return retained;
}

std::vector<Retention> observe(std::mt19937_64& random, std::size_t sets, std::size_t ways,
                               const std::vector<std::size_t>& lines) {
  std::vector<Retention> seen;
  for (const std::size_t n : lines) seen.push_back({n, n, draw_retained(random, n, sets, ways)});
  return seen;
}

}  // namespace

TEST_CASE("few lines by hand") {
  // Two lines, two sets of one way: both in one set half of the time.
  CHECK(retained_lines(2, 2, 1).mean == Approx(1.5));
  CHECK(retained_lines(1, 7, 3).mean == Approx(1));
  CHECK(retained_lines(0, 7, 3).mean == 0);
  CHECK_THROWS_AS(retained_lines(1, 0, 1), std::invalid_argument);
  CHECK_THROWS_AS(retained_lines(1, 1, 0), std::invalid_argument);
}

TEST_CASE("one set retains what fits, without variance") {
  CHECK(retained_lines(10, 1, 16).mean == 10);
  CHECK(retained_lines(20, 1, 16).mean == 16);
  CHECK(retained_lines(20, 1, 16).variance == 0);
}

TEST_CASE("many lines fill the cache") { CHECK(retained_lines(4096 * 20, 64, 64).mean == Approx(4096)); }

TEST_CASE("mean and variance are those of many draws") {
  std::mt19937_64 random(101);
  struct Case {
    std::size_t lines, sets, ways;
  };
  for (const Case& c : {Case{1024, 64, 16}, Case{900, 64, 16}, Case{1100, 16, 64}, Case{96, 24, 4}, Case{300, 4, 64}}) {
    constexpr int rounds = 4000;
    double sum = 0;
    double squares = 0;
    for (int round = 0; round < rounds; ++round) {
      const auto retained = static_cast<double>(draw_retained(random, c.lines, c.sets, c.ways));
      sum += retained;
      squares += retained * retained;
    }
    const double mean = sum / rounds;
    const double variance = squares / rounds - mean * mean;
    const Retained expected = retained_lines(c.lines, c.sets, c.ways);
    INFO(c.lines << " lines, " << c.sets << " sets, " << c.ways << " ways");
    CHECK(std::abs(expected.mean - mean) < 4 * std::sqrt(variance / rounds) + 1e-9);
    CHECK(expected.variance == Approx(variance).epsilon(0.15));
  }
}

TEST_CASE("the confidence of a set count from few draws is honest") {
  std::mt19937_64 random(103);
  const std::vector<std::size_t> candidates{1, 2, 4, 8, 16, 32, 64, 128};
  constexpr std::size_t capacity = 512;
  int right = 0;
  int rounds = 0;
  double promised = 0;
  for (const std::size_t sets : candidates) {
    for (int round = 0; round < 40; ++round, ++rounds) {
      const SetEstimate estimate =
          estimate_sets(observe(random, sets, capacity / sets, {450, 500, 512, 600}), capacity, candidates);
      promised += estimate.confidence;
      if (estimate.best.sets == sets) ++right;
      CHECK(estimate.best.ways == capacity / estimate.best.sets);
      CHECK(estimate.confidence < 1);
    }
  }
  CHECK(promised < 0.96 * rounds);
  CHECK(std::abs(right - promised) <= 0.05 * rounds);
}

TEST_CASE("two dozen draws around the capacity find every number of sets") {
  std::mt19937_64 random(109);
  const std::vector<std::size_t> candidates{1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
  constexpr std::size_t capacity = 2048;
  std::vector<std::size_t> lines(24, 2048);
  std::fill_n(lines.begin(), 6, 1900);
  std::fill_n(lines.begin() + 6, 6, 2300);
  int right = 0;
  int sure_and_wrong = 0;
  for (const std::size_t sets : candidates) {
    for (int round = 0; round < 10; ++round) {
      const SetEstimate estimate = estimate_sets(observe(random, sets, capacity / sets, lines), capacity, candidates);
      if (estimate.best.sets == sets) ++right;
      if (estimate.best.sets != sets && estimate.confidence > 0.99) ++sure_and_wrong;
    }
  }
  CHECK(right >= 99);
  CHECK(sure_and_wrong == 0);
}

TEST_CASE("a sample of the lines tells as well, only less") {
  std::mt19937_64 random(107);
  const std::vector<std::size_t> candidates{4, 16, 64, 256};
  int right = 0;
  for (int round = 0; round < 40; ++round) {
    std::vector<Retention> seen;
    for (int i = 0; i < 40; ++i) {
      const std::size_t retained = draw_retained(random, 1024, 64, 16);
      std::size_t hits = 0;
      std::vector<char> line(1024, 0);
      std::fill_n(line.begin(), retained, char{1});
      std::shuffle(line.begin(), line.end(), random);
      for (int k = 0; k < 64; ++k) hits += static_cast<std::size_t>(line[static_cast<std::size_t>(k)]);
      seen.push_back({1024, 64, hits});
    }
    if (estimate_sets(seen, 1024, candidates).best.sets == 64) ++right;
  }
  CHECK(right >= 39);
}

TEST_CASE("observations that cannot tell leave all candidates alike") {
  const std::vector<Retention> seen{{10, 10, 10}};
  const SetEstimate estimate = estimate_sets(seen, 4096, std::vector<std::size_t>{1, 2, 4});
  CHECK(estimate.confidence < 0.4);
  double sum = 0;
  for (const SetCandidate& candidate : estimate.candidates) sum += candidate.probability;
  CHECK(sum == Approx(1));
}

TEST_CASE("impossible observations and candidates are refused") {
  const std::vector<std::size_t> candidates{4};
  CHECK_THROWS_AS(estimate_sets(std::vector<Retention>{{10, 5, 6}}, 64, candidates), std::invalid_argument);
  CHECK_THROWS_AS(estimate_sets(std::vector<Retention>{{10, 11, 6}}, 64, candidates), std::invalid_argument);
  CHECK_THROWS_AS(estimate_sets({}, 64, {}), std::invalid_argument);
  CHECK_THROWS_AS(estimate_sets({}, 66, candidates), std::invalid_argument);
}
