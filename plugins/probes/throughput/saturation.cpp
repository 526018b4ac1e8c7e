#include "saturation.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <optional>
#include <stdexcept>

namespace tomograph::throughput {

namespace {

constexpr double step = 1.1;
constexpr std::int64_t most_ilp = 8;
/// Range of what is fitted: how far below the first point the corner may lie, and a bend that is none.
constexpr double far_corner = 4;
constexpr double sharpest = 256;
constexpr int bits = 20;

/// Like `base` with `warps` warps on an SM in as few CTAs as hold them; nothing if they cannot be equal.
std::optional<streaming::Program> with_warps(streaming::Program base, std::int64_t warps, std::int64_t ilp) {
  constexpr std::int64_t most = streaming::maximum_threads / streaming::warp_threads;
  base.ctas_per_sm = (warps + most - 1) / most;
  if (warps % base.ctas_per_sm != 0) return std::nullopt;
  base.threads = warps / base.ctas_per_sm * streaming::warp_threads;
  base.ilp = ilp;
  return base;
}

void check_curve(std::span<const double> bytes_in_flight, std::span<const double> bandwidth) {
  if (bytes_in_flight.size() != bandwidth.size()) throw std::invalid_argument("a curve has columns of unequal length");
  if (bytes_in_flight.size() < 4) throw std::invalid_argument("a curve of three parameters has fewer than four points");
  if (!std::ranges::is_sorted(bytes_in_flight)) throw std::invalid_argument("bytes in flight do not ascend");
  if (bytes_in_flight.front() <= 0 || std::ranges::min(bandwidth) <= 0) {
    throw std::invalid_argument("a value of a curve is not positive");
  }
}

/// The best curve whose straight part would reach the roof at `corner` bytes in flight: its logarithm is known but for
/// that of the roof, which is the mean of what is missing.
LoadCurve with_corner(std::span<const double> bytes_in_flight, std::span<const double> bandwidth, double sharpness,
                      double corner) {
  const LoadCurve shape{.latency = corner, .roof = 1, .sharpness = sharpness};
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < bandwidth.size(); ++i) {
    const double missing = std::log(bandwidth[i] / shape.bandwidth(bytes_in_flight[i]));
    sum += missing;
    squares += missing * missing;
  }
  const auto count = static_cast<double>(bandwidth.size());
  const double roof = std::exp(sum / count);
  return {.latency = corner / roof,
          .roof = roof,
          .sharpness = sharpness,
          .residual = std::sqrt(std::max(squares / count - sum / count * sum / count, 0.0))};
}

}  // namespace

std::vector<streaming::Program> rising_bytes_in_flight(const streaming::Program& base, const Room& room) {
  std::vector<streaming::Program> programs;
  const std::int64_t most_warps = room.threads_per_sm / streaming::warp_threads;
  double next = 1;
  for (std::int64_t ilp = 1; ilp <= most_ilp; ilp *= 2) {
    for (std::int64_t warps = 1; warps <= most_warps; ++warps) {
      if (static_cast<double>(warps * ilp) < next) continue;
      const auto program = with_warps(base, warps, ilp);
      if (!program) continue;
      const auto footprint = streaming::rounded_footprint(*program, program->ctas_per_sm, room.sms);
      if (footprint > base.bytes) return programs;
      programs.push_back(*program);
      next = static_cast<double>(warps * ilp) * step;
    }
  }
  return programs;
}

double LoadCurve::bandwidth(double bytes_in_flight) const {
  // ln(1 + e^x), where e^x may exceed any number.
  const double x = sharpness * std::log(latency * roof / bytes_in_flight);
  const double logarithm = std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
  return roof * std::exp(-logarithm / sharpness);
}

double LoadCurve::bytes(double share) const {
  return latency * roof * std::pow(std::pow(share, -sharpness) - 1, -1 / sharpness);
}

double LoadCurve::error_of_bytes(double share, double error_of_bandwidth) const {
  // d ln B / d ln N = 1 - share^sharpness.
  return error_of_bandwidth / (1 - std::pow(share, sharpness));
}

LoadCurve fit_load_curve(std::span<const double> bytes_in_flight, std::span<const double> bandwidth) {
  check_curve(bytes_in_flight, bandwidth);
  const double first = std::log(bytes_in_flight.front()) - std::log(far_corner);
  const double last = std::log(bytes_in_flight.back());
  const auto of_corner = [&](double sharpness, double corner) {
    return with_corner(bytes_in_flight, bandwidth, sharpness, std::exp(corner));
  };
  const auto of_sharpness = [&](double log_sharpness) {
    const double sharpness = std::exp(log_sharpness);
    const auto residual = [&](double corner) { return of_corner(sharpness, corner).residual; };
    return of_corner(sharpness, boost::math::tools::brent_find_minima(residual, first, last, bits).first);
  };
  const auto residual = [&](double log_sharpness) { return of_sharpness(log_sharpness).residual; };
  return of_sharpness(boost::math::tools::brent_find_minima(residual, 0.0, std::log(sharpest), bits).first);
}

}  // namespace tomograph::throughput
