#ifndef TOMOGRAPH_TMA_ANALYSIS_HPP
#define TOMOGRAPH_TMA_ANALYSIS_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "experiments.hpp"
#include "tomograph/fact.hpp"

/// From times of copies to what is said about them. No device, no I/O.
namespace tomograph::tma {

/// Something seen of tiles of one size.
struct ByTile {
  std::int64_t tile = 0;
  double value = 0;
};

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

/// B/s of all SMs.
[[nodiscard]] double bytes_per_second(const ThroughputAnswer& answer);

}  // namespace tomograph::tma

#endif
