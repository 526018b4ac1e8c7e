#include "tomograph/analysis/tree_plru.hpp"

#include "catch.hpp"

using tomograph::analysis::tree_plru_hits;

TEST_CASE("tree-PLRU of two ways is LRU") {
  const std::vector<std::int64_t> lines{0, 1, 0, 2, 0, 1};
  CHECK(tree_plru_hits(lines, 2) == std::vector<bool>{false, false, true, false, true, false});
}

TEST_CASE("a walk over one line too many in four ways hits once, as an H200's constant cache did") {
  std::vector<std::int64_t> lines;
  for (int i = 0; i < 64; ++i) lines.push_back(i % 5);
  const auto hits = tree_plru_hits(lines, 4);
  for (std::size_t i = 0; i < hits.size(); ++i) CHECK(hits[i] == (i == 6));
}

TEST_CASE("the victim of tree-PLRU lies in the half used longer ago, even if another line was used before it") {
  // After 0 1 2 3 0, line 1 is the least recently used one, but the half of 2 and 3 is older: 4 replaces 2.
  const std::vector<std::int64_t> lines{0, 1, 2, 3, 0, 4, 1, 2};
  CHECK(tree_plru_hits(lines, 4) == std::vector<bool>{false, false, false, false, true, false, true, false});
}

TEST_CASE("what came into a set before decides which lines share a half") {
  // With way 0 taken at first, 1 and 2 share a half and 3 is in the other one: 4 replaces 1, then 1 replaces 0.
  const std::vector<std::int64_t> lines{0, 1, 2, 3, 4, 1, 2};
  CHECK(tree_plru_hits(lines, 4, 1) == std::vector<bool>{false, false, false, false, false, false, true});
  CHECK(tree_plru_hits(lines, 4, 0) == std::vector<bool>{false, false, false, false, false, true, true});
}

TEST_CASE("ways that are no power of two have no tree") {
  CHECK_THROWS_AS(tree_plru_hits(std::vector<std::int64_t>{0}, 3), std::invalid_argument);
  CHECK_THROWS_AS(tree_plru_hits(std::vector<std::int64_t>{0}, 4, 4), std::invalid_argument);
}
