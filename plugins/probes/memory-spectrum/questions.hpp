#ifndef TOMOGRAPH_MEMORY_SPECTRUM_QUESTIONS_HPP
#define TOMOGRAPH_MEMORY_SPECTRUM_QUESTIONS_HPP

#include "spectrum.hpp"
#include "tomograph/session/session.hpp"

namespace tomograph::memory_spectrum {

/// What the facts say of this device's data cache, TLBs and memory.
[[nodiscard]] Known known_from(const Session& session);

/// Publishes the patterns and the latency of memory, near and far.
void publish(const Session& session, const Samples& samples);

/// Measures and publishes all.
void find_spectrum(const Session& session);

}  // namespace tomograph::memory_spectrum

#endif
