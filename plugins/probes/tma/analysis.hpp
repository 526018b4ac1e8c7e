#ifndef TOMOGRAPH_TMA_ANALYSIS_HPP
#define TOMOGRAPH_TMA_ANALYSIS_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "experiments.hpp"
#include "tomograph/session/fact.hpp"

/// From times of copies to what is said about them. No device, no I/O.
namespace tomograph::tma {

/// Something seen of tiles of one size.
struct ByTile {
  std::int64_t tile = 0;
  double value = 0;
};

/// The mean time of the fastest `share` of the copies, 0 < share <= 1, from looks at many copies, each at another time.
/// With F(t) the share of looks at time t that found their copy done, the largest of t - (integral of F up to t) /
/// share over all t (Rockafellar & Uryasev 2000, of the other tail): all looks before count, so it scatters far less
/// than a quantile. Nothing if looks do not tell early from late.
[[nodiscard]] std::optional<double> mean_of_fastest(const LatencyAnswer& looks, double share);
/// The same of copies whose `times` are known. @throws std::invalid_argument if there are none.
[[nodiscard]] double mean_of_fastest(std::span<const double> times, double share);

/// fixed + slope * size, where size tells: small tiles take as long as the smallest, larger ones longer by the KiB.
struct LatencyFit {
  double fixed = 0;    ///< cycles, of tiles so small that their size does not tell
  double per_kib = 0;  ///< cycles, of larger ones
  Interval fixed_interval{};
  Interval per_kib_interval{};
};
/// The slope is the median of those between all pairs of tiles that take at least 10 % longer than the smallest (Theil
/// 1950, Sen 1968), its interval all of these but the outer tenths. `points` ascend. Nothing where fewer than three
/// tiles take longer.
[[nodiscard]] std::optional<LatencyFit> fit_latency(std::span<const ByTile> points);

/// The smallest tile from which on `values` are not below those of any of `others`, by `tolerance` at most. All have
/// the same tiles, ascending. Nothing if the largest tile is not.
[[nodiscard]] std::optional<std::int64_t> winning_from(std::span<const ByTile> values,
                                                       std::span<const std::vector<ByTile>> others, double tolerance);

/// The smallest tile that reaches `share` of the highest value.
[[nodiscard]] std::int64_t saturating_tile(std::span<const ByTile> values, double share);

/// The tile with which `values` reach `level`, between the last one below it and the next one: where too little is
/// under way, bandwidth is proportional to it (Little 1961). Nothing if the smallest tile reaches it or none does.
[[nodiscard]] std::optional<double> reaching_tile(std::span<const ByTile> values, double level);

/// B/s of all SMs.
[[nodiscard]] double bytes_per_second(const ThroughputAnswer& answer);

}  // namespace tomograph::tma

#endif
