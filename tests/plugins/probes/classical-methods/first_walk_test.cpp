#include "analysis_first_walk.hpp"
#include "catch.hpp"

using namespace tomograph::classical_methods;

namespace {

/// A first walk over 64 nodes of which each `distance`-th one misses, and a second round without misses.
TwoRounds every(std::size_t distance) {
  TwoRounds walk{std::vector<bool>(64), std::vector<bool>(64)};
  for (std::size_t node = 0; node < 64; node += distance) walk.first[node] = true;
  return walk;
}

}  // namespace

TEST_CASE("a miss fetches as far as the next cold miss") { CHECK(fetched_bytes(every(4), 32) == 128); }

TEST_CASE("a miss that the second round repeats is none of the cache") {
  TwoRounds walk = every(16);
  walk.first[5] = walk.second[5] = true;
  CHECK(fetched_bytes(walk, 32) == 512);
}

TEST_CASE("one cold miss alone says nothing") { CHECK_FALSE(fetched_bytes(every(64), 32)); }

TEST_CASE("what most walks fetch counts, if the cache was cold") {
  const std::vector<TwoRounds> walks{every(4), every(8), every(4), every(16), every(4)};
  const FirstWalk seen = first_walk(std::vector<bool>(64, true), walks, 32);
  CHECK(seen.cold);
  CHECK(seen.bytes == 128);
}

TEST_CASE("walks without a majority agree on nothing, and hits of a descending walk mean that the cache was warm") {
  const std::vector<TwoRounds> walks{every(4), every(8), every(4), every(16), every(8)};
  const FirstWalk seen = first_walk(std::vector<bool>(64, false), walks, 32);
  CHECK_FALSE(seen.cold);
  CHECK_FALSE(seen.bytes);
}
