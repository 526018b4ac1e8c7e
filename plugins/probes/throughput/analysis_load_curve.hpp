#ifndef TOMOGRAPH_THROUGHPUT_ANALYSIS_LOAD_CURVE_HPP
#define TOMOGRAPH_THROUGHPUT_ANALYSIS_LOAD_CURVE_HPP

#include <span>

#include "tomograph/analysis/robust_statistics.hpp"

/// How many bytes must be in flight for a share of the bandwidth. By Little's law, they are latency x bandwidth: below
/// that, each further byte in flight adds to the bandwidth; beyond, only to the latency. Pure functions.
namespace tomograph::throughput {

/// The share of the maximum at which a level counts as saturated, the common 95 %.
inline constexpr double saturated = 0.95;

/// Bandwidth (B/s) against bytes in flight N of a device under load: N / latency for few bytes, a roof for many, and a
/// bend in between: B(N) = roof / (1 + (latency x roof / N)^sharpness)^(1 / sharpness).
struct LoadCurve {
  double latency = 0;  ///< seconds, without other traffic
  double roof = 0;     ///< bytes per second
  double sharpness = 1;
  double residual = 0;  ///< root mean square error of the logarithm of the bandwidth

  [[nodiscard]] double bandwidth(double bytes_in_flight) const;
  /// Bytes in flight for a share of the roof, less than 1.
  [[nodiscard]] double bytes(double share) const;
  /// Relative error of `bytes(share)` that a relative error of the bandwidth causes.
  [[nodiscard]] double error_of_bytes(double share, double error_of_bandwidth) const;
};

/// The curve closest to the measured points, by least squares of logarithms. All points count: in a flat bend, where
/// one per cent of bandwidth is ten per cent of bytes, the few points next to it would not suffice.
/// @throws std::invalid_argument if lengths differ, bytes do not ascend, a value is not positive, or there are fewer
/// than four points.
[[nodiscard]] LoadCurve fit_load_curve(std::span<const double> bytes_in_flight, std::span<const double> bandwidth);

/// The bytes in flight at which the device is saturated, from the curves of several sweeps. The interval covers what
/// the sweeps differ by, the error of the fits, and a bend that is sharper than points a tenth apart can show.
[[nodiscard]] analysis::MedianInterval saturating_interval(std::span<const LoadCurve> curves);

}  // namespace tomograph::throughput

#endif
