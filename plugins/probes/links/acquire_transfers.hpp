#ifndef TOMOGRAPH_LINKS_ACQUIRE_TRANSFERS_HPP
#define TOMOGRAPH_LINKS_ACQUIRE_TRANSFERS_HPP

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis_transfer.hpp"
#include "tomograph/session.hpp"
#include "tomograph/transfer.hpp"

namespace tomograph::links {

/// Repetitions of a copy or a kernel, after one that warms up and does not count. The interval of the fastest tenth's
/// quantile covers it with a probability of 0.993 (1 - 0.9^48 = 0.994).
inline constexpr std::int64_t repetitions = 48;

/// Time by size of a copy, and whether the largest saturate the link. A few repetitions of each until more are made.
struct Curve {
  transfer::Route route = {};
  std::vector<SizePoint> points = {};
  bool saturates = false;

  [[nodiscard]] std::int64_t largest() const { return static_cast<std::int64_t>(points.back().bytes); }
  /// Bytes per second of the largest transfers, by repetition.
  [[nodiscard]] std::vector<double> rates() const;
};

/// Sizes that double until they saturate the route, or no larger ones can.
[[nodiscard]] Curve try_sizes(const Session& session, transfer::Route route);
/// The same, but only the smallest and large ones.
[[nodiscard]] Curve try_large(const Session& session, transfer::Route route);

/// Bytes per second that SMs read or write, by repetition, with the number of CTAs that is fastest.
struct SmRates {
  std::vector<double> rates = {};
  std::int64_t ctas_per_sm = 0;
  std::int64_t bytes = 0;
  bool saturates = false;  ///< most CTAs are hardly faster than fewer
  std::vector<NamedArray> columns = {};
};

/// Repeats transfers in turn, so that what other programs do meanwhile meets all of them alike, and none of them all
/// the time.
class Rounds {
 public:
  /// Repeats the largest copies of a curve that saturates. They replace those of the curve, which must outlive `run`.
  void add_largest(Curve& curve);
  /// Repeats the two sizes between which half of the largest rate lies.
  void add_half_peak(Curve& curve);
  /// Adds what all routes copy at the same time to `rates`, by route and repetition, in bytes per second. Copies are as
  /// large as the largest of `copies`. Adds nothing if the device does not support it.
  void add_together(const Session& session, const std::vector<transfer::Route>& routes, const Curve& copies,
                    std::vector<std::vector<double>>& rates);
  /// Tries numbers of CTAs and repeats the fastest. `copies` over the same link say how long kernels must be.
  void add_by_sms(const Session& session, transfer::Route route, const Curve& copies, SmRates& rates);
  void run(const Session& session);

 private:
  /// Takes the seconds of each route, by repetition.
  using Keep = std::function<void(const std::vector<std::vector<double>>& seconds)>;

  void add_point(Curve& curve, std::size_t point);

  std::vector<transfer::Program> programs_;
  std::vector<Keep> keep_;
};

/// A curve by itself: `try_sizes`, and all that repeats of it.
[[nodiscard]] Curve measure_curve(const Session& session, transfer::Route route);
/// Rates of copies on all routes at the same time, by themselves. Empty if the device does not support it.
[[nodiscard]] std::vector<std::vector<double>> measure_together(const Session& session,
                                                                const std::vector<transfer::Route>& routes,
                                                                const Curve& copies);
[[nodiscard]] SmRates measure_by_sms(const Session& session, transfer::Route route, const Curve& copies);

/// Columns bytes and seconds, one row for each transfer.
[[nodiscard]] std::vector<NamedArray> columns(const Curve& curve);

}  // namespace tomograph::links

#endif
