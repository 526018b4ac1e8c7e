#ifndef TOMOGRAPH_SHARED_MEMORY_QUESTIONS_HPP
#define TOMOGRAPH_SHARED_MEMORY_QUESTIONS_HPP

#include "tomograph/session.hpp"

namespace tomograph::shared_memory {

/// How much shared memory an SM and a CTA have. Publishes shared.size_* and shared.reserved_per_block.
void find_sizes(const Session& session);

/// How long a load from shared memory takes. Publishes shared.*latency and shared.latency_by_width.
void find_latency(const Session& session);

/// How many banks of which width there are, and what conflicts cost. Publishes shared.bank*, shared.modes,
/// shared.phase* and shared.conflict_latency.
void find_banks(const Session& session);

/// Which strides conflict in each mode of the banks. Publishes shared.conflict_ways_by_mode.
void find_conflicts_by_mode(const Session& session);

/// Copies by CTA size, CTAs per SM and ILP (Mei & Chu 2017, Figs. 15 and 16). Publishes shared.copy_throughput.
void follow_mei_copies(const Session& session);

/// How many bytes per cycle shared memory delivers, and how many warps that takes. Publishes shared.bandwidth.read,
/// .copy, shared.bandwidth_by_width and shared.saturating_warps.
void find_throughput(const Session& session);

/// How many bytes per cycle shared memory takes. Publishes shared.bandwidth.write.
void find_store_throughput(const Session& session);

}  // namespace tomograph::shared_memory

#endif
