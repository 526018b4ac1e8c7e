#ifndef TOMOGRAPH_MEMORY_SPECTRUM_PUBLISH_HPP
#define TOMOGRAPH_MEMORY_SPECTRUM_PUBLISH_HPP

#include "analysis_samples.hpp"
#include "tomograph/session.hpp"

namespace tomograph::memory_spectrum {

/// Publishes the patterns and the latency of memory, near and far, with the loads as evidence.
void publish(const Session& session, const Samples& samples);

}  // namespace tomograph::memory_spectrum

#endif
