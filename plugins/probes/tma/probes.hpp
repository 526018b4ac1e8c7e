#ifndef TOMOGRAPH_TMA_PROBES_HPP
#define TOMOGRAPH_TMA_PROBES_HPP

#include "tomograph/session/session.hpp"

/// One file per question.
namespace tomograph::tma {

void find_latency(const Session& session);
void find_throughput(const Session& session);
void find_multicast(const Session& session);

}  // namespace tomograph::tma

#endif
