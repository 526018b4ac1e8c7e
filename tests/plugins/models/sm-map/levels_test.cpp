#include "levels.hpp"

#include "catch.hpp"

using namespace tomograph::sm_map;

TEST_CASE("groups are numbered by their lowest SM, in whatever order they come") {
  CHECK(level_of({{2, 5}, {0, 4}, {1, 3}}, 6) == Level{0, 1, 2, 1, 0, 2});
  CHECK(renumbered({7, 7, 3, 7}) == Level{0, 0, 1, 0});
}

TEST_CASE("groups that miss an SM, name it twice or name one too many are no level") {
  CHECK_FALSE(level_of({{0, 1}}, 3));
  CHECK_FALSE(level_of({{0, 1}, {1, 2}}, 3));
  CHECK_FALSE(level_of({{0, 1, 2, 3}}, 3));
  CHECK_FALSE(level_of({{0, 1, -1}}, 3));
}

TEST_CASE("SMs that two levels have together form groups of their own") {
  CHECK(common({0, 0, 0, 1, 1, 1}, {0, 1, 1, 0, 0, 1}) == Level{0, 1, 1, 2, 2, 3});
}

TEST_CASE("a group that does not nest is named by two of its SMs") {
  CHECK_FALSE(stray({0, 0, 1, 1, 2, 2}, {0, 0, 0, 0, 1, 1}));
  CHECK(stray({0, 0, 1, 1, 2, 2}, {0, 0, 0, 1, 1, 1}) == "SMs 2 and 3");
}
