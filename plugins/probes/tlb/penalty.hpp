#ifndef TOMOGRAPH_TLB_PENALTY_HPP
#define TOMOGRAPH_TLB_PENALTY_HPP

#include <cstddef>
#include <optional>
#include <vector>

#include "sets.hpp"

/// What a miss of one level costs.
namespace tomograph::tlb {

/// Cycles that visits take longer when they miss a level.
struct Penalty {
  double cycles = 0;
  double deviation = 0;           ///< standard error of `cycles`
  double share = 0;               ///< of all visits, those that `cycles` is the bulk of
  std::vector<double> more = {};  ///< of each visit: how much longer it took
};

/// The same visits, line by line, once when their pages have left the level and once when they are in it, both times
/// with the levels before it missed: what a line is off by falls out of the difference. Repeated until the standard
/// error is below a quarter of a per cent. What counts is the bulk of the visits (biweight.hpp):
/// those that missed the next level, too, or hit this one all the same, do not move it as far as they lie apart.
/// A walk visits at most `most_pages` pages, one per entry, so that the next level holds them; twice the level's
/// entries are enough.
/// Nothing if memory has no room for walks that overflow the level, if half of it is not more than the levels before it
/// hold, or if less than a quarter of the visits agree.
[[nodiscard]] std::optional<Penalty> miss_penalty(const Memory& memory, const Organisation& known,
                                                  std::int64_t most_pages);

}  // namespace tomograph::tlb

#endif
