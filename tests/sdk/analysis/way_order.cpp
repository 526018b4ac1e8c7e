#include "tomograph/analysis/way_order.hpp"

#include <stdexcept>

#include "catch.hpp"

using tomograph::analysis::repeating_order;
using tomograph::analysis::shares_of_ways;
using tomograph::analysis::way_order_hits;

TEST_CASE("a fixed order of victims predicts Mei and Chu's Fig. 11 load by load") {
  // Lines 3, 35, 68, 100 and 129 of the figure, from the load of line 129 on.
  const std::vector<std::int64_t> lines{3, 35, 68, 100, 129, 3, 35, 68, 100, 129, 3, 35, 68, 100, 129, 3, 35};
  const std::vector<std::size_t> order{1, 2, 1, 0, 1, 3};
  const std::vector<bool> of_figure{false, true,  false, false, true,  false, false,
                                    true,  false, false, true,  false, false};
  const auto hits = way_order_hits(lines, 4, order);
  CHECK(std::vector<bool>(hits.begin() + 4, hits.end()) == of_figure);
}

TEST_CASE("the shortest order that victims repeat three times is found") {
  CHECK(repeating_order(std::vector<std::size_t>{1, 2, 1, 0, 1, 3, 1, 2, 1, 0, 1, 3, 1, 2, 1, 0, 1, 3, 1, 2}) ==
        std::vector<std::size_t>{1, 2, 1, 0, 1, 3});
  CHECK(repeating_order(std::vector<std::size_t>{0, 1, 2, 0, 1, 2}).empty());
  CHECK(repeating_order(std::vector<std::size_t>{0, 1, 2, 0, 1, 2, 0, 1, 1}).empty());
  CHECK(repeating_order({}).empty());
}

TEST_CASE("the shares of ways follow from the order of victims") {
  const auto shares = shares_of_ways(std::vector<std::size_t>{1, 2, 1, 0, 1, 3}, 4);
  REQUIRE(shares.size() == 4);
  CHECK(shares[0] == Approx(1. / 6));
  CHECK(shares[1] == Approx(1. / 2));
  CHECK(shares[2] == Approx(1. / 6));
  CHECK(shares[3] == Approx(1. / 6));
  CHECK_THROWS_AS(shares_of_ways(std::vector<std::size_t>{4}, 4), std::invalid_argument);
  CHECK_THROWS_AS(shares_of_ways({}, 4), std::invalid_argument);
}
