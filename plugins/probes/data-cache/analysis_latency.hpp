#ifndef TOMOGRAPH_DATA_CACHE_ANALYSIS_LATENCY_HPP
#define TOMOGRAPH_DATA_CACHE_ANALYSIS_LATENCY_HPP

#include "tomograph/cache/hit_and_miss.hpp"

namespace tomograph::data_cache {

/// Lowers the threshold so that a load of `far` cycles is no hit: at most to halfway between `far` and the latency that
/// 99 % of the hits stay below. Sets `seen.far_hits_are_misses`. Without a threshold nothing happens.
void lower_threshold_below(double far, cache::HitAndMiss& seen);

/// Drops the loads of evicted lines that another partition still held from the misses, if hardly any take a little
/// longer, and sets `seen.held_elsewhere`: they take as much longer than the next load as `far` is from hits. Each
/// partition keeps copies, and the data that evicted them may have had fewer lines in the other one.
void drop_far_hits(double far, cache::HitAndMiss& seen);

}  // namespace tomograph::data_cache

#endif
