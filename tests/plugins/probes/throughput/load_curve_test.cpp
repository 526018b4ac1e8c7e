#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "acquire_saturation.hpp"
#include "analysis_load_curve.hpp"
#include "catch.hpp"

using namespace tomograph;

namespace {

constexpr throughput::Bounds two_sms{.sms = 2, .threads_per_sm = 2048};
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
  const auto programs = throughput::rising_bytes_in_flight({.bytes = std::int64_t{1} << 30}, two_sms);
  CHECK(programs.front().threads == 32);
  CHECK(programs.front().ilp == 1);
  std::int64_t before = 0;
  for (const auto& program : programs) {
    CHECK_FALSE(streaming::violation(program));
    const auto bytes = streaming::bytes_in_flight(program, program.ctas_per_sm, two_sms.sms);
    CHECK(bytes > before);
    if (before >= 32 * 1024) CHECK(static_cast<double>(bytes) < 1.15 * static_cast<double>(before));
    before = bytes;
  }
  CHECK(before > 200 * 1024 * two_sms.sms);
}

TEST_CASE("bytes in flight saturate at 95 % of latency times bandwidth where the bend is sharp") {
  const Curve curve = ideal();
  const auto found = throughput::fit_load_curve(curve.bytes, curve.bandwidth);
  CHECK(found.bytes(0.95) == Approx(0.95 * latency * peak).epsilon(0.02));
  CHECK(found.latency == Approx(latency).epsilon(0.01));
  CHECK(found.roof == Approx(peak).epsilon(0.01));
  CHECK(found.residual < 0.01);
}

TEST_CASE("a bend is found as it is, and noise of one per cent moves its bytes by few") {
  const throughput::LoadCurve truth{.latency = latency, .roof = peak, .sharpness = 3};
  Curve curve = ideal();
  for (std::size_t i = 0; i < curve.bytes.size(); ++i) curve.bandwidth[i] = truth.bandwidth(curve.bytes[i]);
  const auto exact = throughput::fit_load_curve(curve.bytes, curve.bandwidth);
  CHECK(exact.sharpness == Approx(3).epsilon(0.01));
  CHECK(exact.bytes(0.95) == Approx(truth.bytes(0.95)).epsilon(0.01));
  for (std::size_t i = 0; i < curve.bandwidth.size(); ++i) curve.bandwidth[i] *= i % 2 == 0 ? 1.01 : 0.99;
  const auto noisy = throughput::fit_load_curve(curve.bytes, curve.bandwidth);
  CHECK(noisy.bytes(0.95) == Approx(truth.bytes(0.95)).epsilon(0.03));
  CHECK(noisy.residual == Approx(0.01).epsilon(0.1));
}

TEST_CASE("the bandwidth at the bytes of a share is this share of the roof, and their error follows from the slope") {
  const throughput::LoadCurve curve{.latency = latency, .roof = peak, .sharpness = 2.5};
  for (const double share : {0.3, 0.8, 0.95}) {
    const double bytes = curve.bytes(share);
    CHECK(curve.bandwidth(bytes) == Approx(share * peak));
    const double moved = curve.bandwidth(bytes * std::exp(curve.error_of_bytes(share, 1e-4)));
    CHECK(moved == Approx(share * peak * std::exp(1e-4)).epsilon(1e-6));
  }
}

TEST_CASE("what is no curve is refused") {
  const Curve curve = ideal();
  const std::vector<double> few{1, 2, 3};
  const std::vector<double> falling{4, 3, 2, 1};
  const std::vector<double> four{1, 2, 3, 4};
  const std::vector<double> zero{0, 1, 2, 3};
  CHECK_THROWS_AS(throughput::fit_load_curve(curve.bytes, few), std::invalid_argument);
  CHECK_THROWS_AS(throughput::fit_load_curve(few, few), std::invalid_argument);
  CHECK_THROWS_AS(throughput::fit_load_curve(falling, four), std::invalid_argument);
  CHECK_THROWS_AS(throughput::fit_load_curve(zero, four), std::invalid_argument);
  CHECK_THROWS_AS(throughput::fit_load_curve(four, zero), std::invalid_argument);
}

TEST_CASE("the interval of the saturating bytes covers what sweeps differ by and what their residuals leave open") {
  std::vector<throughput::LoadCurve> curves;
  for (int sweep = 0; sweep < 8; ++sweep) {
    curves.push_back({.latency = latency * (1 + 0.01 * sweep), .roof = peak, .sharpness = 3, .residual = 0.005});
  }
  const auto found = throughput::saturating_interval(curves);
  CHECK(found.low < curves.front().bytes(throughput::saturated));
  CHECK(found.high > curves.back().bytes(throughput::saturated));
  for (auto& curve : curves) curve.residual = 0.02;
  const auto wider = throughput::saturating_interval(curves);
  CHECK(wider.low < found.low);
  CHECK(wider.high > found.high);
}
