#ifndef TOMOGRAPH_ANALYSIS_MISSING_TOGETHER_HPP
#define TOMOGRAPH_ANALYSIS_MISSING_TOGETHER_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Sets of a cache from which lines go missing together. Random parts of a footprint somewhat larger than the cache are
/// walked again and again. A set of which a part has more lines than ways misses, any other one does not, so lines of
/// one set fare alike in every walk and lines of two sets only by chance. Nothing is assumed about where lines lie: any
/// index, and memory in several pieces, will do (Mei & Chu 2017, step 3 of the two-stage procedure, with many lines too
/// many at once).
namespace tomograph::analysis {

/// What became of a line in a walk that was repeated until it had settled. Of one that is `unseen`, which a level
/// before held, nothing is known but that the walk had it.
enum class Fate : std::uint8_t { absent, unseen, held, missing };

/// The fates of all lines in one walk.
using Walk = std::vector<Fate>;

struct SetMap {
  std::vector<std::size_t> set_of;  ///< by line; sets are numbered in the order of their first lines
  std::vector<std::size_t> ways;    ///< by set: the most lines of it that a walk had and that stayed
  std::vector<bool> sharp;          ///< by set: one line more was seen to go missing
  double contradictions = 0;        ///< share of the outcomes that the number of lines does not explain
  std::size_t outcomes = 0;         ///< sets times the walks in which they had lines
};

/// Nothing if walks do not tell sets apart: if in most of them nearly all lines are missing, or nearly all are held.
/// @throws std::invalid_argument if walks have different numbers of lines.
[[nodiscard]] std::optional<SetMap> map_sets(std::span<const Walk> walks);

}  // namespace tomograph::analysis

#endif
