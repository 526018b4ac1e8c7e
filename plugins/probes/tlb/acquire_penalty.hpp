#ifndef TOMOGRAPH_TLB_ACQUIRE_PENALTY_HPP
#define TOMOGRAPH_TLB_ACQUIRE_PENALTY_HPP

#include <optional>

#include "acquire_sets.hpp"
#include "analysis_penalty.hpp"

namespace tomograph::tlb {

/// What a miss of the level costs. The same visits, line by line, are timed once when their pages have left the level
/// and once when they are in it, both times with the levels before it missed; the difference is free of what the line
/// adds. Repeated until the standard error is below a quarter of a per cent. A walk visits at most `most_pages` pages,
/// one per entry, so that the next level holds them; twice the level's entries are enough.
/// Nothing if memory has no room for walks that overflow the level, if half of the level is not more than the levels
/// before it hold, or if less than a quarter of the visits agree.
[[nodiscard]] std::optional<Penalty> miss_penalty(const Memory& memory, const Organisation& known,
                                                  std::int64_t most_pages);

}  // namespace tomograph::tlb

#endif
