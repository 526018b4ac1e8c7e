#include <array>
#include <cmath>

#include "analysis_transfer.hpp"
#include "catch.hpp"
#include "measured.hpp"

using namespace tomograph::links;

namespace {

constexpr double latency = 2e-6;
constexpr double rate = 50e9;

/// Copies of `first` bytes and then twice as many each, a few per mille too long or too short in turn. One repetition
/// of three is disturbed.
std::vector<SizePoint> copies(double first, std::size_t sizes, double disturbance = 0) {
  std::vector<SizePoint> points;
  for (std::size_t i = 0; i < sizes; ++i) {
    const double bytes = std::ldexp(first, static_cast<int>(i));
    const double seconds = (latency + bytes / rate) * (1 + (i % 2 == 0 ? disturbance : -disturbance));
    points.push_back({bytes, {seconds, seconds * 1.1, seconds}});
  }
  return points;
}

}  // namespace

TEST_CASE("latency and rate of a transfer are found from its times by size") {
  const auto exact = fit_cost(copies(4096, 14));
  REQUIRE(exact);
  CHECK(exact->latency == Approx(latency).epsilon(1e-6));
  CHECK(exact->rate == Approx(rate).epsilon(1e-6));
  CHECK(exact->error < 1e-6);
  const auto disturbed = fit_cost(copies(4096, 14, 0.005));
  REQUIRE(disturbed);
  CHECK(disturbed->latency == Approx(latency).epsilon(0.01));
  CHECK(disturbed->rate == Approx(rate).epsilon(0.01));
  CHECK(disturbed->error == Approx(0.005).epsilon(0.3));
}

TEST_CASE("times that do not grow with the size have no rate") {
  CHECK_FALSE(fit_cost(std::vector<SizePoint>{{4096, {1e-6}}, {8192, {1e-6}}, {16384, {1e-6}}}));
  CHECK_FALSE(fit_cost(copies(4096, 2)));
}

TEST_CASE("a link is saturated once copies take a hundred times the latency") {
  // latency + 4096 / rate = 2.08 us, so 208 us: 10.3 MB.
  CHECK_FALSE(is_saturated(copies(4096, 12)));
  CHECK(is_saturated(copies(4096, 13)));
  CHECK_FALSE(is_saturated(copies(1 << 30, 2)));
  CHECK_FALSE(is_saturated({}));
}

TEST_CASE("traffic that disturbs the last size hides no link's rate") {
  std::vector<SizePoint> points = copies(4096, 14);
  const double seconds = points.back().undisturbed_seconds();
  points.back().seconds = {0.99 * seconds, 1.2 * seconds, 1.3 * seconds, 1.4 * seconds};
  CHECK(is_saturated(points));
}

TEST_CASE("copies that take a thousand times the latency do not become faster by their size") {
  // latency + 4096 / rate = 2.08 us, so 2.08 ms: 104 MB.
  CHECK_FALSE(dwarfs_latency(copies(4096, 15)));
  CHECK(dwarfs_latency(copies(4096, 16)));
}

TEST_CASE("a rate that falls with the size is not saturated") {
  std::vector<SizePoint> points = copies(4096, 14);
  for (const double slower : {1.1, 1.2}) {
    const SizePoint last = points.back();
    points.push_back({2 * last.bytes, {2 * slower * last.undisturbed_seconds()}});
  }
  CHECK_FALSE(is_saturated(points));
}

TEST_CASE("SMs that seem faster than copies both ways do not use the link") {
  const Measured copies{{780e9, 784e9, 785e9}};
  CHECK(below({{370e9, 371e9, 372e9}}, copies).values.size() == 3);
  const Measured impossible = below({{4420e9, 4421e9, 4430e9}}, copies);
  CHECK(impossible.values.empty());
  CHECK_FALSE(impossible.reason.empty());
  CHECK(below({{4420e9}}, nothing("not measured")).reason.empty());
  CHECK(below(nothing("open"), copies).reason == "open");
}

TEST_CASE("a rate rises with the number of CTAs only if the most beat all fewer") {
  CHECK(fewer_are_as_fast(std::array{2.50, 2.60, 2.55}));
  CHECK(fewer_are_as_fast(std::array{4.00, 2.51, 2.50}));
  CHECK_FALSE(fewer_are_as_fast(std::array{4.00, 3.00, 2.50}));
}

TEST_CASE("half of the peak is reached where latency and transfer take equally long") {
  const auto points = copies(4096, 16);
  const auto size = half_peak_size(points);
  REQUIRE(size);
  // Hockney's n_1/2 = latency x rate; the largest copies lack a thousandth of the rate.
  CHECK(size->value == Approx(latency * rate).epsilon(0.003));
  CHECK(size->low <= size->value);
  CHECK(size->high > size->value);
}

TEST_CASE("without a size below half of the peak there is no half-peak size") {
  CHECK_FALSE(half_peak_size(copies(1 << 20, 5)));
}
