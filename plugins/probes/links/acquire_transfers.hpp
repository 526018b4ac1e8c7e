#ifndef TOMOGRAPH_LINKS_ACQUIRE_TRANSFERS_HPP
#define TOMOGRAPH_LINKS_ACQUIRE_TRANSFERS_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "analysis_transfer.hpp"
#include "tomograph/session.hpp"
#include "tomograph/transfer.hpp"

namespace tomograph::links {

/// Repetitions of a copy or a kernel, after one that warms up and does not count; twice as many copies if they scatter.
/// The interval of the fastest quarter's quantile covers it with a probability of 0.9989 (1 - 0.75^24 = 0.9990).
inline constexpr std::int64_t repetitions = 24;

/// Time by size of a copy, and whether the largest saturate the link. If they do not, only a few repetitions were made.
struct Curve {
  std::vector<SizePoint> points = {};
  bool saturates = false;

  [[nodiscard]] std::int64_t largest() const { return static_cast<std::int64_t>(points.back().bytes); }
  /// Bytes per second of the largest transfers, by repetition.
  [[nodiscard]] std::vector<double> rates() const;
};

/// Sizes that double until they saturate the route, or no larger ones can; then, repeatedly, the largest and the two
/// between which half of its rate lies.
[[nodiscard]] Curve measure_curve(const Session& session, transfer::Route route);
/// The same, but only the largest size is repeated.
[[nodiscard]] Curve measure_peak(const Session& session, transfer::Route route);

/// Bytes per second of each route, all at the same time, by repetition. Transfers are as large as the largest of
/// `copies`. Empty if the device does not support it.
[[nodiscard]] std::vector<std::vector<double>> measure_together(const Session& session,
                                                                const std::vector<transfer::Route>& routes,
                                                                const Curve& copies);

/// Bytes per second that SMs read or write, by repetition, with the number of CTAs that is fastest. `copies` over the
/// same link say how long kernels must be.
struct SmRates {
  std::vector<double> rates = {};
  std::int64_t ctas_per_sm = 0;
  std::int64_t bytes = 0;
  bool saturates = false;  ///< most CTAs are hardly faster than fewer
  std::vector<NamedArray> columns = {};
};
[[nodiscard]] SmRates measure_by_sms(const Session& session, transfer::Route route, const Curve& copies);

/// Columns bytes and seconds, one row for each transfer.
[[nodiscard]] std::vector<NamedArray> columns(const Curve& curve);

}  // namespace tomograph::links

#endif
