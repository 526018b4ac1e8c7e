#include <algorithm>

#include "analysis_lookups.hpp"
#include "catch.hpp"

using namespace tomograph::memory_concurrency;

namespace {

/// Loads of an L1 that looks up `rate` lines per cycle and serves a word of each bank. Issuing takes `issue` cycles.
std::vector<Lookup> lookups_of(double rate, double issue) {
  std::vector<Lookup> lookups;
  for (const auto& [lines, words] : {std::pair{1, 1}, {9, 1}, {32, 1}, {2, 2}, {32, 32}}) {
    const double cycles = std::max({issue, lines / rate, static_cast<double>(words)});
    lookups.push_back({.lines = lines, .bank_words = words, .cycles = std::vector<double>(5, cycles)});
  }
  return lookups;
}

}  // namespace

TEST_CASE("loads of many lines without conflicts of banks show the rate of lookups") {
  for (const double rate : {1.0, 2.0, 4.0}) {
    const auto found = lookups_per_cycle(lookups_of(rate, 1.5));
    REQUIRE(found);
    CHECK(found->value == Approx(rate));
    CHECK(found->lines == 32);
    CHECK(found->of_runs.size() == 5);
  }
}

TEST_CASE("an L1 that is faster than the issue of loads leaves its rate open") {
  CHECK(!lookups_per_cycle(lookups_of(64, 1.5)));
}

TEST_CASE("without loads nothing is known of their lookups") { CHECK_FALSE(lookups_per_cycle({}).has_value()); }
