#ifndef TOMOGRAPH_TMA_ANALYSIS_LATENCY_HPP
#define TOMOGRAPH_TMA_ANALYSIS_LATENCY_HPP

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "analysis_tiles.hpp"
#include "experiments.hpp"
#include "tomograph/fact.hpp"

/// From the times of single copies to latencies. No device, no I/O.
namespace tomograph::tma {

/// Mean latency of the fastest `share` of the copies, 0 < share <= 1, from polls of many copies at different times.
/// With F(t) the share of polls at time t that found their copy done, it is the largest value of t - (integral of F up
/// to t) / share over all t (Rockafellar & Uryasev 2000, for the other tail). All polls up to t contribute, so it
/// scatters far less than a quantile. Nothing if no poll came too early or none too late.
[[nodiscard]] std::optional<double> mean_of_fastest(const LatencyAnswer& polls, double share);
/// Mean of the shortest `share` of `times`. @throws std::invalid_argument if there are none.
[[nodiscard]] double mean_of_fastest(std::span<const double> times, double share);

/// Latency = fixed + slope * size: small tiles take as long as the smallest one, and large ones longer for each KiB.
struct LatencyFit {
  double fixed = 0;    ///< mean cycles of small tiles
  double per_kib = 0;  ///< additional cycles for each KiB of a large tile
  Interval fixed_interval{};
  Interval per_kib_interval{};
};
/// Fits the latencies of `points`, whose tiles ascend. Tiles that take less than 10 % longer than the smallest one are
/// small. They take up to 8 % longer than each other, so that their median would jump between two of them. The slope is
/// the median of the slopes between all pairs of large tiles (Theil 1950, Sen 1968); its interval covers the middle
/// eight tenths of these slopes. Nothing if fewer than three tiles are large.
[[nodiscard]] std::optional<LatencyFit> fit_latency(std::span<const ByTile> points);

/// The latencies of the copies of one request.
struct Latency {
  LatencyRequest request;
  std::size_t copies = 0;
  std::optional<double> undisturbed;  ///< mean of the fastest copies; nothing if polls do not tell
  std::optional<double> mean;         ///< of all copies; nothing if polls do not tell
};
[[nodiscard]] Latency latency_of(const LatencyRequest& request, const LatencyAnswer& answer);

/// Undisturbed latency by tile of one kind of copies. Nothing if the latency of a tile is not known.
[[nodiscard]] std::optional<std::vector<ByTile>> latency_curve(std::span<const Latency> latencies, Method method,
                                                               Direction direction);

/// The smallest tile from which on a copy by the TMA takes no longer than by threads. Curves are of latencies. Nothing
/// if the largest tile takes longer.
[[nodiscard]] std::optional<std::int64_t> fastest_from(const std::vector<ByTile>& tma,
                                                       const std::vector<std::vector<ByTile>>& threads);

}  // namespace tomograph::tma

#endif
