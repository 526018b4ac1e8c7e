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
inline constexpr double most_misread = 0.01;

/// Sampled lines of a region of so many bytes.
struct Kept {
  std::int64_t bytes = 0;
  std::size_t kept = 0;  ///< samples that hit
  std::size_t samples = 0;

  [[nodiscard]] double share() const { return static_cast<double>(kept) / static_cast<double>(samples); }
};

[[nodiscard]] std::size_t count_hits(std::span<const std::int64_t> cycles, const Threshold& threshold);

/// A region of which L2 keeps at least this share fits.
inline constexpr double fitting_share = 0.95;

/// The last region that fits, as long as the next one does not. Sizes ascend.
[[nodiscard]] std::optional<std::size_t> last_fitting(std::span<const Kept> curve);

/// A size and an interval for it.
struct Fit {
  double bytes = 0;
  analysis::Interval interval;
};

/// The largest region that fits: between the last size of which `fitting_share` was kept and the first of which it was
/// not, where the line through both crosses it. The interval reaches from the last size whose share is surely larger to
/// the first whose share is surely smaller, as Wilson's intervals of `confidence` tell. Sizes ascend. Nothing if not
/// even the first size surely fits, or the last one is not surely too large.
[[nodiscard]] std::optional<Fit> largest_fit(std::span<const Kept> curve, double confidence);

}  // namespace tomograph::l2_persistence

#endif
