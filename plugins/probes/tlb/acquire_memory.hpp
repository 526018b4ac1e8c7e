#ifndef TOMOGRAPH_TLB_ACQUIRE_MEMORY_HPP
#define TOMOGRAPH_TLB_ACQUIRE_MEMORY_HPP

#include "tomograph/session.hpp"
#include "tomograph/tlb/walk.hpp"

namespace tomograph::tlb {

/// As much memory as the device can spare; 1/16 of what is free is left to others.
/// Without L2, loads go to memory itself. @throws Skip if the device has less than 64 MiB, or an L2 whose line is not
/// known.
[[nodiscard]] Memory spare_memory(const Session& session);

/// The memory behind the first `bytes` bytes.
[[nodiscard]] Memory behind(const Memory& memory, std::int64_t bytes);

}  // namespace tomograph::tlb

#endif
