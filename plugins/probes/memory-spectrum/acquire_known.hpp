#ifndef TOMOGRAPH_MEMORY_SPECTRUM_ACQUIRE_KNOWN_HPP
#define TOMOGRAPH_MEMORY_SPECTRUM_ACQUIRE_KNOWN_HPP

#include "acquire_chase.hpp"
#include "tomograph/session.hpp"

namespace tomograph::memory_spectrum {

/// What the facts say of this device's data cache, TLBs and memory.
[[nodiscard]] Known known_from(const Session& session);

}  // namespace tomograph::memory_spectrum

#endif
