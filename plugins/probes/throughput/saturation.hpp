#ifndef TOMOGRAPH_THROUGHPUT_SATURATION_HPP
#define TOMOGRAPH_THROUGHPUT_SATURATION_HPP

#include <span>
#include <vector>

#include "search.hpp"

/// How many bytes must be asked for at the same time. By Little's law they are latency x bandwidth: below, each further
/// byte in flight adds to the bandwidth, beyond, to the latency alone.
namespace tomograph::throughput {

/// Programs like `base`, by bytes in flight, ascending in steps of about a tenth: few warps first, then more of them,
/// then more ILP. Elements are 16 B.
[[nodiscard]] std::vector<streaming::Program> rising_bytes_in_flight(const streaming::Program& base, const Room& room);

/// Of bends that are sharper than this, nothing shows at points a tenth apart: they leave the bytes open.
inline constexpr double sharpest_seen = 64;

/// A curve of bandwidth (B/s) against bytes in flight, as a device under load gives it: N / latency with few of them,
/// a roof with many, and a bend between, as sharp as `sharpness` says:
/// B(N) = roof / (1 + (latency x roof / N)^sharpness)^(1 / sharpness).
struct LoadCurve {
  double latency = 0;  ///< seconds, of a byte that meets no other one
  double roof = 0;     ///< bytes per second
  double sharpness = 1;
  double residual = 0;  ///< root mean square of what the logarithm of the bandwidth lies off

  [[nodiscard]] double bandwidth(double bytes_in_flight) const;
  /// Bytes in flight for a share of the roof, less than 1.
  [[nodiscard]] double bytes(double share) const;
  /// Relative change of `bytes(share)` by a relative change of the bandwidth.
  [[nodiscard]] double error_of_bytes(double share, double error_of_bandwidth) const;
};

/// The curve closest to points of measurement, by least squares of logarithms. All points count, so that a flat bend,
/// where one per cent of bandwidth is ten of bytes, does not depend on the few points next to it.
/// @throws std::invalid_argument if lengths differ, bytes do not ascend, a value is not positive, or there are fewer
/// than four points.
[[nodiscard]] LoadCurve fit_load_curve(std::span<const double> bytes_in_flight, std::span<const double> bandwidth);

}  // namespace tomograph::throughput

#endif
