#ifndef TOMOGRAPH_DSMEM_PROBES_HPP
#define TOMOGRAPH_DSMEM_PROBES_HPP

#include "tomograph/session/session.hpp"

/// One file per question.
namespace tomograph::dsmem {

void find_largest_cluster(const Session& session);
void find_latency(const Session& session);
void find_handover(const Session& session);
void find_throughput(const Session& session);

}  // namespace tomograph::dsmem

#endif
