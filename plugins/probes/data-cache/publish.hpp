#ifndef TOMOGRAPH_DATA_CACHE_PUBLISH_HPP
#define TOMOGRAPH_DATA_CACHE_PUBLISH_HPP

#include "analysis_partition.hpp"
#include "tomograph/session.hpp"

namespace tomograph::data_cache {

/// "partition.count", "partition.of_sm", "partition.replicated", "latency.near" and "latency.far" of L2, with the
/// evidence.
void publish(const Session& session, const Partitions& found);

}  // namespace tomograph::data_cache

#endif
