#ifndef TOMOGRAPH_TLB_ACQUIRE_MEMORY_HPP
#define TOMOGRAPH_TLB_ACQUIRE_MEMORY_HPP

#include <cstdint>

#include "tomograph/session.hpp"
#include "tomograph/tlb/walk.hpp"

namespace tomograph::tlb {

/// Most pages of a walk, however many lines L2 holds. Larger walks take longer than is worthwhile. Chosen on an H200.
inline constexpr std::int64_t most_visits_of_any = 8192;

/// As much memory as the device can spare; 1/16 of what is free is left to others.
/// Without L2, loads go to memory itself. @throws Skip if the device has less than 8 MiB, or an L2 whose line is not
/// known.
[[nodiscard]] Memory spare_memory(const Session& session);

/// The memory behind the first `bytes` bytes.
[[nodiscard]] Memory behind(const Memory& memory, std::int64_t bytes);

}  // namespace tomograph::tlb

#endif
