#ifndef TOMOGRAPH_MEMORY_SPECTRUM_QUESTIONS_HPP
#define TOMOGRAPH_MEMORY_SPECTRUM_QUESTIONS_HPP

#include "tomograph/session.hpp"

namespace tomograph::memory_spectrum {

/// How long a load takes with each pattern of hits and misses. Publishes memory_spectrum.* and dram.latency*.
void find_spectrum(const Session& session);

}  // namespace tomograph::memory_spectrum

#endif
