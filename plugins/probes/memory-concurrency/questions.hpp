#ifndef TOMOGRAPH_MEMORY_CONCURRENCY_QUESTIONS_HPP
#define TOMOGRAPH_MEMORY_CONCURRENCY_QUESTIONS_HPP

#include "tomograph/session.hpp"

namespace tomograph::memory_concurrency {

/// How many misses an SM keeps in flight. Publishes l1_data.outstanding_misses*.
void find_misses(const Session& session);

/// How fast random divergent loads are that L2 serves. Publishes l2.bandwidth.gather*, l2.queueing_* and
/// noc.queueing_*.
void find_l2(const Session& session);

/// How fast random divergent loads are that memory serves. Publishes dram.bandwidth.gather* and dram.queueing_*.
void find_dram(const Session& session);

/// How fast random stores are that L2 takes. Publishes l2.bandwidth.scatter.
void find_l2_stores(const Session& session);

/// How fast random stores are that memory takes. Publishes dram.bandwidth.scatter.
void find_dram_stores(const Session& session);

/// How many lines the L1 looks up per cycle. Publishes l1_data.cycles_by_lines and l1_data.lookups_per_cycle.
void find_lookups(const Session& session);

/// What memory fetches for one request. Publishes dram.fetch_bytes_per_request.
void find_fetch(const Session& session);

}  // namespace tomograph::memory_concurrency

#endif
