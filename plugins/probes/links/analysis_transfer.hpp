#ifndef TOMOGRAPH_LINKS_ANALYSIS_TRANSFER_HPP
#define TOMOGRAPH_LINKS_ANALYSIS_TRANSFER_HPP

#include <optional>
#include <span>
#include <vector>

#include "tomograph/analysis/undisturbed.hpp"

/// Time of transfers by their size. Pure functions. Points are in the order of their sizes, which ascend.
namespace tomograph::links {

/// Transfers of one size.
struct SizePoint {
  double bytes = 0;
  std::vector<double> seconds = {};  ///< by repetition, at least one

  [[nodiscard]] analysis::Undisturbed undisturbed() const;
  [[nodiscard]] double undisturbed_seconds() const { return undisturbed().value; }
  [[nodiscard]] double rate() const { return bytes / undisturbed_seconds(); }
};

/// What changes a rate by less than this hardly does.
inline constexpr double least_gain = 0.01;

/// Whether larger transfers are hardly faster. The largest takes a hundred times as long as the smallest, which takes
/// at least the latency; where a transfer takes latency + bytes / rate, it is then within 1 % of the limit. And the
/// last doubling changed the rate by less than 3 %, or by no more than repetitions differ: a rate that falls, as where
/// the host's caches end, has not reached its limit either.
[[nodiscard]] bool is_saturated(std::span<const SizePoint> points);

/// Whether larger transfers cannot be faster because latency counts less in them. The largest takes a thousand times as
/// long as the smallest, and the smallest takes at least the latency. Twice the size would change the rate by 0.05 %.
[[nodiscard]] bool dwarfs_latency(std::span<const SizePoint> points);

/// Whether some CTAs per SM are hardly slower than the most. `seconds` of one transfer belong to ascending numbers of
/// CTAs, at least two.
[[nodiscard]] bool fewer_are_as_fast(std::span<const double> seconds);

/// Time of a transfer: latency + bytes / rate (Hockney 1994).
struct TransferCost {
  double latency = 0;  ///< seconds
  double rate = 0;     ///< bytes per second
  double error = 0;    ///< root mean square of the relative differences to what was measured
};

/// The least squares fit of the relative differences, so that short transfers count as much as long ones. Nothing if
/// there are fewer than three sizes, or times do not grow.
[[nodiscard]] std::optional<TransferCost> fit_cost(std::span<const SizePoint> points);

/// Bytes per second of the size that is fastest.
[[nodiscard]] double peak_rate(std::span<const SizePoint> points);

/// The first point that reaches half of the peak rate. Nothing if all do, or there is none.
[[nodiscard]] std::optional<std::size_t> half_peak_point(std::span<const SizePoint> points);

/// The size at which transfers reach half of the peak rate (Hockney's n_1/2). Undisturbed times are interpolated
/// linearly between sizes. The longer both points next to it take, the larger it is, and so it encloses what their
/// intervals allow. Nothing if all sizes are faster, or there are none.
[[nodiscard]] std::optional<analysis::Undisturbed> half_peak_size(std::span<const SizePoint> points);

}  // namespace tomograph::links

#endif
