#ifndef TOMOGRAPH_L2_PERSISTENCE_ANALYSIS_KEPT_HPP
#define TOMOGRAPH_L2_PERSISTENCE_ANALYSIS_KEPT_HPP

#include <cstdint>
#include <optional>
#include <span>

#include "tomograph/analysis/interval.hpp"

/// Which of the sampled lines L2 still held. Pure functions.
namespace tomograph::l2_persistence {

/// Loads that take longer missed.
struct Threshold {
  double cycles = 0;
  double misread = 0;  ///< the larger share of hits that took longer, or of misses that did not
};

/// Between loads that hit and loads that missed, where as small a share as possible of either is misread.
/// Nothing if both are not known, or more than `most_misread` are misread.
[[nodiscard]] std::optional<Threshold> threshold_between(std::span<const std::int64_t> hits,
                                                         std::span<const std::int64_t> misses);
/// A share of 25 % is then known to 1 %.
inline constexpr double most_misread = 0.01;

/// Sampled lines of a region of so many bytes.
struct Kept {
  std::int64_t bytes = 0;
  std::size_t kept = 0;  ///< samples that hit
  std::size_t samples = 0;

  [[nodiscard]] double share() const { return static_cast<double>(kept) / static_cast<double>(samples); }
};

[[nodiscard]] std::size_t count_hits(std::span<const std::int64_t> cycles, const Threshold& threshold);

/// Regions of which less is kept than this are far larger than what keeps them.
inline constexpr double saturated_share = 0.5;

/// A number of bytes and an interval for it.
struct Room {
  double bytes = 0;
  analysis::Interval interval;
};

/// How many bytes of regions are kept that are far too large: the median over all of which less than
/// `saturated_share` is kept. The interval encloses Wilson's intervals of `confidence` for each, so that it is wide
/// where larger regions leave more. Nothing if no region is so large.
[[nodiscard]] std::optional<Room> room_of(std::span<const Kept> curve, double confidence);

}  // namespace tomograph::l2_persistence

#endif
