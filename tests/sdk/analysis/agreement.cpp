#include "tomograph/analysis/agreement.hpp"

#include "catch.hpp"

using namespace tomograph::analysis;

TEST_CASE("statements that agree keep their confidence") {
  const Statement size{{65536, 65536}, 0.999};
  CHECK(confidence_beside({{65536, 65536}, 0.995}, size) == 0.995);
  CHECK(confidence_beside({{65536, 65536}, 0.995}, {{60000, 66000}, 0.5}) == 0.995);
  CHECK(agree({{1, 2}, 0.9}, {{2, 3}, 0.9}));
  CHECK_FALSE(agree({{1, 2}, 0.9}, {{2.5, 3}, 0.9}));
}

TEST_CASE("of statements that disagree, that of fewer errors is the likelier one") {
  const Statement sets{{65536, 65536}, 0.999};
  const Statement size{{61440, 61440}, 0.9};
  CHECK(confidence_beside(sets, size) == Approx(0.999 * 0.1 / (1 - 0.999 * 0.9)));
  CHECK(confidence_beside(size, sets) == Approx(0.9 * 0.001 / (1 - 0.999 * 0.9)));
}

TEST_CASE("no two certain statements disagree") {
  for (const double one : {0.99, 0.995, 0.9999, 1.0}) {
    for (const double other : {0.99, 0.999, 0.9999, 1.0}) {
      const Statement own{{1, 1}, one};
      const Statement another{{2, 2}, other};
      CHECK(confidence_beside(own, another) <= 0.5);
      CHECK(confidence_beside(another, own) <= 0.5);
    }
  }
}
