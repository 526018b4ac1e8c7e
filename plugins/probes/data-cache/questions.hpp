#ifndef TOMOGRAPH_DATA_CACHE_QUESTIONS_HPP
#define TOMOGRAPH_DATA_CACHE_QUESTIONS_HPP

#include "tomograph/cache/levels.hpp"
#include "tomograph/cache/questions.hpp"

/// The two data caches. What is asked here is asked about one of them only; tomograph/cache/questions.hpp has the rest.
namespace tomograph::data_cache {

inline constexpr const cache::Level& l1 = cache::l1_data;
inline constexpr const cache::Level& l2 = cache::l2;

/// Whether each partition of L2 keeps its own copies of lines, so that one SM fills its own partition only. Needs
/// "l2.partition.replicated".
[[nodiscard]] bool l2_is_replicated(const Session& session);

/// "caches_global_loads" and cache::latency_facts of L1.
void find_l1_latency(const Session& session);
/// cache::latency_facts and "latency_by_sm" of L2.
void find_l2_latency(const Session& session);
/// "size" and "size_by_carveout" of L1.
void find_l1_size(const Session& session);
/// "size" and "partition.size" of L2.
void find_l2_size(const Session& session);
/// cache::find_organisation of L2. If its lines overflow a page, eviction sets of many pages tell "sets", "ways" and
/// "replacement".
void find_l2_organisation(const Session& session);
/// "partition.count", "partition.of_sm", "partition.replicated", "latency.near" and "latency.far" of L2.
void find_partitions(const Session& session);

}  // namespace tomograph::data_cache

#endif
