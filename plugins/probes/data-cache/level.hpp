#ifndef TOMOGRAPH_DATA_CACHE_LEVEL_HPP
#define TOMOGRAPH_DATA_CACHE_LEVEL_HPP

#include "tomograph/cache/levels.hpp"
#include "tomograph/cache/questions.hpp"

/// The two data caches, and what is asked about one of them only.
namespace tomograph::data_cache {

inline constexpr const cache::Level& l1 = cache::l1_data;
inline constexpr const cache::Level& l2 = cache::l2;

/// Whether L2's partitions keep copies of each other's lines, so that one SM fills its own partition only. Needs
/// "l2.partition.count".
[[nodiscard]] bool l2_is_replicated(const Session& session);

void find_l1_latency(const Session& session);
void find_l2_latency(const Session& session);
void find_l1_size(const Session& session);
void find_l2_size(const Session& session);
void find_partitions(const Session& session);

}  // namespace tomograph::data_cache

#endif
