#ifndef TOMOGRAPH_CONSTANT_CACHE_ANALYSIS_MISSING_TOGETHER_HPP
#define TOMOGRAPH_CONSTANT_CACHE_ANALYSIS_MISSING_TOGETHER_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// The sets of a cache, from lines that miss together. Random parts of a footprint somewhat larger than the cache are
/// walked again and again. A set misses if a part has more lines of it than the set has ways. So lines of one set miss
/// in the same walks, and lines of two sets do so by chance only. Nothing is assumed about where lines lie: any index
/// will do, and memory in several pieces (Mei & Chu 2017, step 3 of the two-stage procedure, with many lines too many
/// at once).
namespace tomograph::constant_cache {

/// Rate at which a line of an overfull set is seen to be held, or one of a set that fits to miss. Rates above it show
/// as contradictions. Chosen by hand.
inline constexpr double misread = 0.03;

/// The measuring kernels' instructions and parameters take less than a sixteenth of any known level. Chosen by hand.
inline constexpr std::size_t largest_code = 16;

/// What happened to a line in a walk that was repeated until the cache had settled. An `unseen` line was part of the
/// walk, but a level before this one served it.
enum class LineState : std::uint8_t { absent, unseen, held, missing };

/// The states of all lines in one walk.
using Walk = std::vector<LineState>;

struct SetMap {
  std::vector<std::size_t> set_of;  ///< by line; sets are numbered in the order of their first lines
  std::vector<std::size_t> ways;    ///< by set: the most lines of it that a walk had and that were all held
  std::vector<bool> overflow_seen;  ///< by set: walks with one line more missed
  double contradictions = 0;        ///< share of the outcomes that the number of lines does not explain, in most sets
  std::size_t outcomes = 0;         ///< sets times the walks in which they had lines

  /// Whether the sets without a way are so few that the kernels' code and parameters may fill them. Parameters begin
  /// where constants do. In some runs of an H200 they fill the first set.
  [[nodiscard]] bool code_may_fill_sets_without_ways() const;
};

/// Nothing if walks do not tell sets apart: if in most of them nearly all lines are missing, or nearly all are held,
/// or if more sets have no way than code may fill.
/// @throws std::invalid_argument if walks have different numbers of lines.
[[nodiscard]] std::optional<SetMap> map_sets(std::span<const Walk> walks);

/// The ways of known sets: `set_of` by line, sets numbered from 0.
[[nodiscard]] SetMap map_of_sets(std::span<const Walk> walks, std::vector<std::size_t> set_of);

}  // namespace tomograph::constant_cache

#endif
