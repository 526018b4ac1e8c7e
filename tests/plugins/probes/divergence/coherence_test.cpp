#include "analysis_coherence.hpp"
#include "catch.hpp"

using namespace tomograph::divergence;

namespace {

/// Widths of 1 to 64 threads, of which those below `coherent` lose performance, in so many repetitions.
std::vector<WidthPoint> curve_of(std::int64_t coherent, std::size_t repetitions) {
  std::vector<WidthPoint> curve;
  for (std::int64_t width = 1; width <= 64; width *= 2) {
    const double cycles = width < coherent ? static_cast<double>(coherent) / static_cast<double>(width) : 1;
    curve.push_back({width, std::vector<double>(repetitions, cycles)});
  }
  return curve;
}

}  // namespace

TEST_CASE("the smallest width of full performance is found, and all repetitions agree") {
  for (const std::int64_t width : {8, 16, 32}) {
    const auto found = coherence(curve_of(width, 5), 0.05);
    REQUIRE(found);
    CHECK(found->threads == width);
    CHECK(found->agreeing == 5);
    CHECK(found->total == 5);
  }
}

TEST_CASE("if only the widest branches are that fast, no width is found") {
  CHECK_FALSE(coherence(curve_of(64, 5), 0.05));
}

TEST_CASE("a repetition that differs by itself does not agree") {
  auto curve = curve_of(32, 10);
  for (auto& point : curve) {
    if (point.width == 32) point.cpi[3] = 1.2;
  }
  const auto found = coherence(curve, 0.05);
  REQUIRE(found);
  CHECK(found->threads == 32);
  CHECK(found->agreeing == 9);
}

TEST_CASE("a width counts only if all wider ones are as fast") {
  auto curve = curve_of(8, 3);
  curve[5].cpi.assign(3, 1.5);
  CHECK_FALSE(coherence(curve, 0.05));
}

TEST_CASE("only powers of two are multiples of one another") {
  const std::vector<WidthPoint> curve{{1, {}}, {2, {}}, {3, {}}, {4, {}}, {6, {}}, {8, {}}};
  CHECK(powers_of_two(curve).size() == 4);
}
