#ifndef TOMOGRAPH_L2_PERSISTENCE_ANALYSIS_KEPT_HPP
#define TOMOGRAPH_L2_PERSISTENCE_ANALYSIS_KEPT_HPP

#include <cstdint>
#include <optional>
#include <span>

#include "tomograph/analysis/interval.hpp"
#include "tomograph/analysis/latency_modes.hpp"

/// Which of the sampled lines L2 still held. Pure functions.
namespace tomograph::l2_persistence {

/// Sampled lines of a region of so many bytes.
struct Kept {
  std::int64_t bytes = 0;
  double share = 0;  ///< that L2 still held
  analysis::Interval interval;
  std::size_t samples = 0;
};

/// The share of these loads that hit, less the misses that the threshold takes for hits and plus the hits that it takes
/// for misses (Rogan and Gladen 1978). The interval is Wilson's of this confidence, corrected alike.
[[nodiscard]] Kept kept_of(std::int64_t bytes, std::span<const double> cycles, const analysis::Threshold& threshold,
                           double confidence);

/// Regions of which less is kept than this are far larger than what keeps them.
inline constexpr double saturated_share = 0.5;

/// A number of bytes and an interval for it.
struct Room {
  double bytes = 0;
  analysis::Interval interval;
};

/// How many bytes of regions are kept that are far too large: the room with which L2 keeps as many of their lines as it
/// did, of all regions together of which less than `saturated_share` is kept. Small ones, whose shares are known best,
/// weigh most. The interval encloses those of each, so that it is wide where larger regions leave more.
/// Nothing if no region is so large.
[[nodiscard]] std::optional<Room> room_of(std::span<const Kept> curve);

}  // namespace tomograph::l2_persistence

#endif
