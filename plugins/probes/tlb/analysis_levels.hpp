#ifndef TOMOGRAPH_TLB_ANALYSIS_LEVELS_HPP
#define TOMOGRAPH_TLB_ANALYSIS_LEVELS_HPP

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

/// How many TLB levels a matrix of walks shows, and what a miss of each costs. Pure functions. Unit: cycles.
namespace tomograph::tlb {

/// A walk in random order over `pages` pages that lie `stride` bytes apart.
struct Cell {
  std::int64_t stride = 0;
  std::int64_t pages = 0;
  std::vector<double> extra_latency;  ///< of each page that was timed
};

/// Tells a hit of one level from a miss.
struct Level {
  double hit = 0;    ///< extra latency of a visit that misses all levels before this one
  double miss = 0;   ///< extra latency of a visit that also misses this one
  double noise = 0;  ///< standard deviation of the extra latency of a single visit
  /// Visits that take less were served by a level before this one.
  double asked_from = std::numeric_limits<double>::lowest();
  /// Visits of a control that miss nothing, and how many of them exceed the threshold all the same.
  double control_visits = 0;
  double control_above = 0;

  [[nodiscard]] double threshold() const { return (hit + miss) / 2; }
  /// Passes after which the median of a visit is on the wrong side of the threshold with probability 3e-7, as long as
  /// the level is resolvable.
  [[nodiscard]] std::int64_t passes() const;
  /// Whether a walk can make so many passes. If not, no walk tells which of its visits missed.
  [[nodiscard]] bool resolvable() const;
  /// Whether a single visit tells a hit from a miss: the threshold is 4 standard deviations away from either, which
  /// normal noise exceeds with probability 3e-5.
  [[nodiscard]] bool sharp() const { return miss - hit > 8 * noise; }
};

/// Extra latency from which on a visit clearly takes more than the last level's `top`.
[[nodiscard]] double clearly_above(double top, double noise);

/// What a matrix of walks shows.
struct Staircase {
  std::vector<Level> levels;  ///< first level first
  /// The height of a plateau above the last level that noise may have mixed. The largest walks may miss another level.
  std::optional<double> unclear = {};
  /// What the largest walks of several strides take, clearly above the last level, where too few walks are as large.
  std::optional<double> beyond = {};
};

/// The levels behind a matrix. A level is a plateau: a mode of the extra latency that stays where it
/// is in at least three successive walks over more and more pages at one stride. The largest of these walks has nearly
/// three times the pages of the smallest, or the mode is too far from the others for noise to have mixed it from them.
/// (In random order, a page's entry is evicted when its neighbours are visited, at any stride, so plateaus of all
/// strides have the same height.) `noise` bounds the standard deviation of single visits that miss nothing, and
/// `deviation` estimates it: `noise` if there is none. Plateaus are the same that lie less than 4 cycles above the
/// one before, or 2 deviations where these are less, or less than the clock tells, which counts by `clock_step`.
[[nodiscard]] Staircase find_levels(std::span<const Cell> matrix, double noise, double clock_step = 1,
                                    std::optional<double> deviation = std::nullopt);

/// Level number `window`, the page-table window, with the level to which it adds. A page walk that misses a cache of
/// page tables takes longer, whether or not the visit misses the window. So where two levels before the window lie as
/// far apart as the window and a level behind it, that distance is the longer walk, and the window adds to the first of
/// the two.
[[nodiscard]] Level without_walk(std::span<const Level> levels, std::size_t window, double clock_step = 1);

/// How much longer visits take in the largest walks that fit this level than in walks over two pages: the upper
/// quartile over the strides. A value well above 0 means that noise hides a level before `first`.
[[nodiscard]] double hidden_before(std::span<const Cell> matrix, const Level& first);

/// Numbers of pages between which walks at one stride begin to miss a level.
struct Bracket {
  std::int64_t fits = 0;  ///< the largest walk without misses; 0 if all walks have some
  std::optional<std::int64_t>
      overflows;  ///< this walk and all larger ones have misses; nothing if the largest has none
};
[[nodiscard]] Bracket bracket(std::span<const Cell> matrix, const Level& level, std::int64_t stride);

}  // namespace tomograph::tlb

#endif
