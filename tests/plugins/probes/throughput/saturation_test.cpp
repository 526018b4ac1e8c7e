#include "saturation.hpp"

#include <algorithm>
#include <stdexcept>

#include "catch.hpp"

using namespace tomograph;

namespace {

constexpr throughput::Room room{.sms = 2, .threads_per_sm = 2048};
constexpr double latency = 400e-9;
constexpr double peak = 1e12;

struct Curve {
  std::vector<double> bytes;
  std::vector<double> bandwidth;
};

/// Little's law up to the peak.
Curve ideal() {
  Curve curve;
  for (double bytes = 1e4; bytes < 1e7; bytes *= 1.1) {
    curve.bytes.push_back(bytes);
    curve.bandwidth.push_back(std::min(bytes / latency, peak));
  }
  return curve;
}

}  // namespace

TEST_CASE("a sweep ascends in steps of a tenth where warps allow, and begins with a single warp") {
  const auto programs = throughput::rising_bytes_in_flight({.bytes = std::int64_t{1} << 30}, room);
  CHECK(programs.front().threads == 32);
  CHECK(programs.front().ilp == 1);
  std::int64_t before = 0;
  for (const auto& program : programs) {
    CHECK_FALSE(streaming::violation(program));
    const auto bytes = streaming::bytes_in_flight(program, program.ctas_per_sm, room.sms);
    CHECK(bytes > before);
    if (before >= 32 * 1024) CHECK(static_cast<double>(bytes) < 1.15 * static_cast<double>(before));
    before = bytes;
  }
  CHECK(before > 200 * 1024 * room.sms);
}

TEST_CASE("bytes in flight saturate at 95 % of latency times bandwidth") {
  const Curve curve = ideal();
  const auto found = throughput::saturation(curve.bytes, curve.bandwidth, peak);
  REQUIRE(found);
  CHECK(found->bytes == Approx(0.95 * latency * peak).epsilon(0.05));
  CHECK(found->between.low <= 0.95 * latency * peak);
  CHECK(found->between.high >= 0.95 * latency * peak);
  CHECK(found->latency_alone == Approx(latency));
  CHECK(found->latency_saturated == Approx(latency).epsilon(0.05));
}

TEST_CASE("an error of the bandwidth widens the interval of the bytes in flight") {
  const Curve curve = ideal();
  const auto sure = throughput::saturation(curve.bytes, curve.bandwidth, peak);
  const auto unsure = throughput::saturation(curve.bytes, curve.bandwidth, peak, 0.2);
  REQUIRE((sure && unsure));
  CHECK(unsure->between.low < sure->between.low);
  CHECK(unsure->between.low <= 0.8 * 0.95 * latency * peak);
  CHECK(unsure->between.high >= sure->between.high);
}

TEST_CASE("a curve that never saturates, or is saturated from the start, has no such point") {
  const Curve curve = ideal();
  CHECK_FALSE(throughput::saturation(curve.bytes, curve.bandwidth, 2 * peak));
  const std::vector<double> flat(curve.bytes.size(), peak);
  CHECK_FALSE(throughput::saturation(curve.bytes, flat, peak));
  CHECK_THROWS_AS(throughput::saturation(curve.bytes, std::vector<double>{1}, peak), std::invalid_argument);
}
