#ifndef TOMOGRAPH_CONSTANT_CACHE_PUBLISH_HPP
#define TOMOGRAPH_CONSTANT_CACHE_PUBLISH_HPP

#include <span>
#include <string>

#include "analysis_l15.hpp"
#include "analysis_levels.hpp"
#include "tomograph/session.hpp"

namespace tomograph::constant_cache {

/// The latencies of all footprints and neighbours as evidence.
void keep_evidence(const Session& session, const Spectrum& spectrum);

/// "constant_memory.reach".
void publish_reach(const Session& session, std::int64_t bytes);

/// "constant_memory.latency", from loads that L2 served on each of several SMs.
void publish_l2_latency(const Session& session, const Levels& levels, std::span<const Neighbour> from_l2);

/// "latency", "miss_penalty" and "hit_threshold" of the second level. Requires levels.second.
void publish_second(const Session& session, const Levels& levels, std::span<const Neighbour> from_l2,
                    const SecondHits& seen);

/// Why these facts of the second level have no value.
void publish_no_second(const Session& session, const Levels& levels);

/// That the clock tells no level from another.
void publish_coarse_clock(const Session& session);

/// That no cache holds constants, so that neither level has a latency.
void publish_no_cache(const Session& session);

/// Line, capacity, sets and index of the second level. `first_miss` is the smallest footprint that missed, in bytes.
void publish_organisation(const Session& session, const Attempt& found, std::int64_t first_miss);

/// The lower bound of the capacity, and the reason that nothing more is known about the second level.
void publish_bound(const Session& session, const Bound& bound, std::int64_t block_bytes, const std::string& reason);

}  // namespace tomograph::constant_cache

#endif
