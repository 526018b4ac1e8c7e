#ifndef TOMOGRAPH_DSMEM_QUESTIONS_HPP
#define TOMOGRAPH_DSMEM_QUESTIONS_HPP

#include "tomograph/session.hpp"

/// The questions of this plugin. Each function runs the experiments of one probe and publishes its facts.
namespace tomograph::dsmem {

/// How many CTAs can a cluster have?
void find_largest_cluster(const Session& session);
/// How long does a load from the shared memory of another SM take?
void find_latency(const Session& session);
/// How long does it take until another SM sees a store?
void find_handover(const Session& session);
/// How many bytes per cycle do SMs exchange, and in which pattern?
void find_throughput(const Session& session);

}  // namespace tomograph::dsmem

#endif
