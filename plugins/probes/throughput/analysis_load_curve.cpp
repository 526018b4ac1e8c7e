#include "analysis_load_curve.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <stdexcept>

#include "analysis_precision.hpp"
#include "tomograph/analysis/confidence.hpp"

namespace tomograph::throughput {

namespace {

/// Range of the fit: how far below the first point the corner may lie, and a bend that is practically a corner: there
/// the curve is 0.3 % below the roof.
constexpr double far_corner = 4;
constexpr double sharpest = 256;
/// Binary digits of the minimum: a relative error of 1e-6.
constexpr int bits = 20;
/// Bends sharper than this look like corners at points a tenth apart.
constexpr double sharpest_seen = 64;

void check_curve(std::span<const double> bytes_in_flight, std::span<const double> bandwidth) {
  if (bytes_in_flight.size() != bandwidth.size()) throw std::invalid_argument("a curve has columns of unequal length");
  if (bytes_in_flight.size() < 4) throw std::invalid_argument("a curve of three parameters has fewer than four points");
  if (!std::ranges::is_sorted(bytes_in_flight)) throw std::invalid_argument("bytes in flight do not ascend");
  if (bytes_in_flight.front() <= 0 || std::ranges::min(bandwidth) <= 0) {
    throw std::invalid_argument("a value of a curve is not positive");
  }
}

/// The best curve whose straight part reaches the roof at `corner` bytes in flight. Its logarithm is known up to that
/// of the roof, which is the mean difference to the points.
LoadCurve with_corner(std::span<const double> bytes_in_flight, std::span<const double> bandwidth, double sharpness,
                      double corner) {
  const LoadCurve shape{.latency = corner, .roof = 1, .sharpness = sharpness};
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < bandwidth.size(); ++i) {
    const double difference = std::log(bandwidth[i] / shape.bandwidth(bytes_in_flight[i]));
    sum += difference;
    squares += difference * difference;
  }
  const auto count = static_cast<double>(bandwidth.size());
  const double roof = std::exp(sum / count);
  return {.latency = corner / roof,
          .roof = roof,
          .sharpness = sharpness,
          .residual = std::sqrt(std::max(squares / count - sum / count * sum / count, 0.0))};
}

}  // namespace

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

analysis::MedianInterval saturating_interval(std::span<const LoadCurve> curves) {
  std::vector<double> values;
  double error = 0;
  for (const LoadCurve& curve : curves) {
    values.push_back(curve.bytes(saturated));
    error = std::max(error, curve.error_of_bytes(saturated, curve.residual));
  }
  error += std::log(LoadCurve{.latency = 1, .roof = 1, .sharpness = sharpest_seen}.bytes(saturated) / saturated);
  const auto seen = analysis::median_interval(values, confidence::throughput::interval);
  return {seen.low * std::exp(-error), seen.high * std::exp(error), seen.coverage};
}

}  // namespace tomograph::throughput
