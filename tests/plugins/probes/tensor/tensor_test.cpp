#include <algorithm>

#include "analysis_surface.hpp"
#include "catch.hpp"
#include "experiments.hpp"

using namespace tomograph;
using namespace tomograph::tensor;

namespace {

/// Runs on four SMs of which each takes so many cycles; one SM of the second trial was disturbed.
std::vector<ProductsAnswer> runs(std::int64_t cycles) {
  return {{{cycles, cycles, cycles + 1, cycles - 1}},
          {{cycles, 5 * cycles, cycles, cycles}},
          {{cycles, cycles, cycles, cycles}}};
}

/// Points of a pipeline of `latency` cycles that takes at most one product in `interval` cycles.
std::vector<Point> pipeline(double latency, double interval) {
  std::vector<Point> points;
  for (const std::int64_t warps : warp_counts) {
    for (const std::int64_t ilp : ilps) {
      const double cycles = std::max(latency / static_cast<double>(warps * ilp), interval);
      points.push_back({.form = {}, .warps = warps, .ilp = ilp, .cycles = cycles, .interval = {cycles, cycles}});
    }
  }
  return points;
}

}  // namespace

TEST_CASE("the cycles of a product are those of the longer run beyond the shorter one, whatever disturbs an SM") {
  const auto few = runs(1000);
  const auto many = runs(1000 + 2 * 4096);
  const Point point = point_of({.form = {}, .warps = 4, .ilp = 2}, 4096, few, many);
  CHECK(point.cycles == Approx(2));
  CHECK(point.interval.low < 2);
  CHECK(point.interval.high > 2);
  CHECK(point.rate() == Approx(16 * 8 * 16));
  CHECK(point.rate_interval().low < point.rate());
  CHECK(point.rate_interval().high > point.rate());
}

TEST_CASE("the interval of a lone chain allows for the branch, which nothing hides") {
  const auto few = runs(1000);
  const auto many = runs(1000 + 24 * 1024 + 8 * 13);
  const Point alone = point_of({.form = {}, .branch = 0.125}, 1024, few, many);
  CHECK(alone.interval.low < 24);
  CHECK(alone.interval.high > 24);
}

TEST_CASE("runs without a partner are refused") {
  const auto few = runs(1000);
  CHECK_THROWS_AS(point_of({}, 1024, few, std::span(few).first(2)), std::invalid_argument);
  CHECK_THROWS_AS(point_of({}, 1024, {}, {}), std::invalid_argument);
}

TEST_CASE("a pipeline saturates where warps and independent products fill its latency") {
  const auto points = pipeline(24, 1.5);
  CHECK(is_saturated(points));
  CHECK(fastest(points)->cycles == Approx(1.5));
  const auto fewest = saturating_warps(points, 0.95);
  CHECK(fewest == std::map<std::int64_t, std::int64_t>{{1, 16}, {2, 8}, {4, 4}, {8, 2}});
}

TEST_CASE("a rate that rises up to the most warps is not saturated") {
  CHECK_FALSE(is_saturated(pipeline(1000, 1)));
  CHECK(saturating_warps(pipeline(1000, 1), 0.95) == std::map<std::int64_t, std::int64_t>{{8, 16}});
}

TEST_CASE("no points, no fastest one") {
  CHECK(fastest({}) == nullptr);
  CHECK_FALSE(is_saturated({}));
}

TEST_CASE("each type has a dense form on GPUs whose tensor cores know it") {
  const auto has = [](Type type, int capability) {
    return std::ranges::any_of(forms, [&](const Form& form) {
      return form.type == type && !form.sparse && has_instruction(form, capability);
    });
  };
  for (const Type type : {Type::fp16, Type::bf16, Type::tf32, Type::int8, Type::fp64}) {
    CHECK(has(type, 80));
    CHECK_FALSE(has(type, 75));
  }
  CHECK(has(Type::fp8, 89));
  CHECK_FALSE(has(Type::fp8, 90));
  CHECK(has(Type::fp8, 100));
}

TEST_CASE("experiments of products become values again, and impossible ones are refused") {
  const ProductsRequest products{.form = 3, .warps = 12, .ilp = 4, .laps = 12, .trial = 2};
  const ProductsRequest again = decode_products(encode(products));
  CHECK((again.form == 3 && again.warps == 12 && again.ilp == 4 && again.laps == 12 && again.trial == 2));
  CHECK_THROWS_AS(decode_products(encode(ProductsRequest{.form = forms.size()})), std::invalid_argument);
  CHECK_THROWS_AS(decode_products(encode(ProductsRequest{.warps = 5})), std::invalid_argument);
  CHECK_THROWS_AS(decode_products(encode(ProductsRequest{.ilp = 3})), std::invalid_argument);
  CHECK_THROWS_AS(decode_products(encode(ProductsRequest{.laps = 0})), std::invalid_argument);
  const WarpgroupRequest warpgroups{.form = 14, .warpgroups = 2, .one_by_one = true, .laps = 4};
  CHECK(decode_warpgroup_products(encode(warpgroups)).one_by_one);
  CHECK_THROWS_AS(decode_warpgroup_products(encode(WarpgroupRequest{.warpgroups = 3})), std::invalid_argument);
}
