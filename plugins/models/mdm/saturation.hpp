#ifndef TOMOGRAPH_MDM_SATURATION_HPP
#define TOMOGRAPH_MDM_SATURATION_HPP

#include <array>
#include <cstddef>

#include "machine.hpp"
#include "tomograph/kernel/profile.hpp"

/// Tomograph's own model: the slowest of issue, L1, network, slices, memory and misses in flight, with a turn from
/// latency to rate that queueing gives.
///
/// Each of W resident warps passes through its instructions in R cycles, so an SM completes x = W / R of them per cycle
/// (Little 1961). A warp demands D_k cycles of station k, whose utilisation is u_k = x D_k. R is the time of a lone
/// warp plus the waits at all stations, which grow with u_k. The model finds the x at which both agree.
///
/// Waits: where a queueing curve was measured, its latency at u_k less its latency at idle; elsewhere M/D/1 with bulk
/// arrivals, S u / (2 (1 - u)) for a burst that takes S cycles (Pollaczek-Khinchine). Misses in flight are a station of
/// c = H / burst servers that each serve one burst in the latency of a miss; its wait is S / (2c)
/// u^(sqrt(2(c + 1)) - 1) / (1 - u) (Sakasegawa 1977).
///
/// A CTA keeps its place until its longest warp ends, and its successor starts a turnover later. So W warps of an SM
/// take W / x = R imbalance + turnover. CTAs start one after the other: a station that all SMs share.
///
/// The first CTAs keep step, and fill the caches in their first iterations. So the parts of their iterations follow
/// each other, each with its own demands. Later CTAs start apart from each other and count as one part.
///
/// All warps start together. So once per kernel they wait for the first data, or for the last warp's turn: the smaller
/// of the two, for one of the rounds of a warp.
namespace tomograph::mdm {

enum class Station : std::size_t { issue, l1, mshr, noc, l2, dram, launch };
inline constexpr std::size_t stations = static_cast<std::size_t>(Station::launch) + 1;
inline constexpr std::array<const char*, stations> station_names{"issue", "l1", "mshr", "noc", "l2", "dram", "launch"};

struct SaturationPrediction {
  double cycles = 0;  ///< of the whole kernel
  double ipc = 0;     ///< warp instructions per cycle of the GPU
  /// Cycles of the whole kernel, by cause: without contention, and waiting at each station.
  double issue = 0;      ///< a warp's own instructions
  double latency = 0;    ///< its gaps
  double imbalance = 0;  ///< until the longest warp of its CTA has ended
  std::array<double, stations> waits{};
  std::array<double, stations> utilisation{};  ///< mean over the time
  /// The station that is busiest, or "latency" if a warp waits more for latencies than for all stations.
  const char* limit = "latency";
};

/// Cycles that one warp with this traffic demands of each station, as a share of what serves its SM. `sms` take part.
/// Misses in flight demand none: their station depends on the waits of the others.
[[nodiscard]] std::array<double, stations> demands(const Machine& machine, const kernel::Profile& profile,
                                                   const kernel::WarpTraffic& traffic, double sms);

/// Wait in a queue at utilisation `u` by a measured curve. Beyond the last measured load it grows as M/D/1 does.
/// `curve` is not empty.
[[nodiscard]] double measured_wait(const QueueingCurve& curve, double u);

/// Mean wait of a burst that a server serves in `service` cycles (M/D/1), and that `servers` serve (Sakasegawa).
[[nodiscard]] double bulk_wait(double service, double u);
[[nodiscard]] double parallel_wait(double service, double servers, double u);

/// At least one CTA fits on an SM.
[[nodiscard]] SaturationPrediction predict_saturation(const Machine& machine, const kernel::Profile& profile);

}  // namespace tomograph::mdm

#endif
