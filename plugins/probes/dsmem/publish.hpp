#ifndef TOMOGRAPH_DSMEM_PUBLISH_HPP
#define TOMOGRAPH_DSMEM_PUBLISH_HPP

#include <vector>

#include "analysis_latency.hpp"
#include "analysis_throughput.hpp"
#include "tomograph/session.hpp"

/// Publishes findings, and the curves behind them.
namespace tomograph::dsmem {

/// dsmem.latency and what belongs to it. There is at least one cluster size.
void publish(const Session& session, const std::vector<SizeLatencies>& sizes);
/// dsmem.handover, or for global memory dsmem.handover.through_global.
void publish_handover(const Session& session, Space space, const Estimate& estimate, const std::vector<double>& cycles);
/// dsmem.bandwidth, dsmem.through_global and what belongs to them.
void publish(const Session& session, const std::vector<Measurement>& measurements);

}  // namespace tomograph::dsmem

#endif
