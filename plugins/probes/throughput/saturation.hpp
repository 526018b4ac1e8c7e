#ifndef TOMOGRAPH_THROUGHPUT_SATURATION_HPP
#define TOMOGRAPH_THROUGHPUT_SATURATION_HPP

#include <optional>
#include <span>
#include <vector>

#include "search.hpp"
#include "tomograph/analysis/interval.hpp"

/// How many bytes must be asked for at the same time. By Little's law they are latency x bandwidth: below, each further
/// byte in flight adds to the bandwidth, beyond, to the latency alone.
namespace tomograph::throughput {

/// Programs like `base`, by bytes in flight, ascending in steps of about a tenth: few warps first, then more of them,
/// then more ILP. Elements are 16 B.
[[nodiscard]] std::vector<streaming::Program> rising_bytes_in_flight(const streaming::Program& base, const Room& room);

struct Saturation {
  double bytes = 0;              ///< in flight where the bandwidth comes within 5 % of its maximum
  analysis::Interval between;    ///< points of the curve that enclose it, if bandwidths are off by `error`
  double latency_alone = 0;      ///< seconds: bytes over bandwidth with the fewest bytes in flight
  double latency_saturated = 0;  ///< seconds: the same at `bytes`
};

/// The 5 % rule (Lemeire et al. 2016, ridge point) on a curve of bandwidth (B/s) against bytes in flight. The curve is
/// taken to be non-decreasing (isotonic regression); where it passes 95 % of `maximum` it is interpolated linearly.
/// `error` is the relative error of maximum and curve together. Nothing if the curve begins above or ends below.
/// @throws std::invalid_argument if lengths differ or bytes do not ascend.
[[nodiscard]] std::optional<Saturation> saturation(std::span<const double> bytes_in_flight,
                                                   std::span<const double> bandwidth, double maximum, double error = 0);

}  // namespace tomograph::throughput

#endif
