#ifndef TOMOGRAPH_TLB_ACQUIRE_LARGE_WALK_HPP
#define TOMOGRAPH_TLB_ACQUIRE_LARGE_WALK_HPP

#include <cstdint>
#include <span>

#include "tomograph/tlb/walk.hpp"

namespace tomograph::tlb {

/// Threads that walk at the same time, each along its part of the lines and the next parts.
inline constexpr std::int64_t walkers = 32;

/// Threads pass all `lines` so many times. Then the visits that each thread made first are timed, `timed` in all. All
/// threads have parts of the same length: `lines` are a multiple of `walkers`.
[[nodiscard]] chase::Program large_walk(const Memory& memory, std::span<const std::int64_t> lines, std::int64_t walks,
                                        std::int64_t timed);

}  // namespace tomograph::tlb

#endif
