#ifndef TOMOGRAPH_TLB_LEVELS_HPP
#define TOMOGRAPH_TLB_LEVELS_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// How many TLB levels show, and what a miss of each costs: pure functions of a matrix of walks. Unit: cycles.
namespace tomograph::tlb {

/// A walk in random order over `pages` pages that lie `stride` bytes apart.
struct Cell {
  std::int64_t stride = 0;
  std::int64_t pages = 0;
  std::vector<double> extra_latency;  ///< of each page that was timed
};

/// What tells whether a visit missed one level.
struct Level {
  double hit = 0;    ///< extra latency of a visit that misses all levels before this one
  double miss = 0;   ///< extra latency of a visit that misses this one, too
  double noise = 0;  ///< standard deviation of the extra latency of a single visit

  [[nodiscard]] double threshold() const { return (hit + miss) / 2; }
  /// Passes whose median is on the wrong side of the threshold less than once in a million visits, as long as the level
  /// is resolvable.
  [[nodiscard]] std::int64_t passes() const;
  /// Whether so many passes are no more than can be walked. Else no walk tells which of its visits missed.
  [[nodiscard]] bool resolvable() const;
  /// Whether already a single visit tells a hit from a miss.
  [[nodiscard]] bool sharp() const { return miss - hit > 8 * noise; }
};

/// The levels behind a matrix, first level first. A level is a plateau: a mode of the extra latency that does not move
/// in at least three successive walks over more and more pages at one stride, four times as many in the end, or that
/// noise cannot mistake for a mixture of others. (In random order, a page's entry is gone when the page's neighbours
/// come, at any stride; so the plateaus of all strides are as high.) `noise` is the standard deviation of single visits
/// that miss nothing. Plateaus less than `floor` above the one before are the same.
[[nodiscard]] std::vector<Level> find_levels(std::span<const Cell> matrix, double noise, double floor = 4);

/// How much longer visits take in walks over half as many pages as mostly fit the first of these levels than in those
/// over two pages; upper quartile of the strides. Where this is not nearly 0, noise hides a level before them.
[[nodiscard]] double hidden_before(std::span<const Cell> matrix, const Level& first);

/// Between which numbers of pages the first page misses `level` at this stride: all walks of the matrix over
/// `overflows` pages or more have some that do, the one before, over `fits` pages, has none. `overflows` is missing if
/// the largest walk has none, `fits` is 0 if all have some.
struct Bracket {
  std::int64_t fits = 0;
  std::optional<std::int64_t> overflows;
};
[[nodiscard]] Bracket bracket(std::span<const Cell> matrix, const Level& level, std::int64_t stride);

}  // namespace tomograph::tlb

#endif
