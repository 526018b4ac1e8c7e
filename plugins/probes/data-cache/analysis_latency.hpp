#ifndef TOMOGRAPH_DATA_CACHE_ANALYSIS_LATENCY_HPP
#define TOMOGRAPH_DATA_CACHE_ANALYSIS_LATENCY_HPP

#include "tomograph/cache/hit_and_miss.hpp"

namespace tomograph::data_cache {

/// Lowers the threshold so that a load of `far` cycles is no hit: at most to halfway between `far` and the latency that
/// 99 % of the hits stay below. Sets `seen.far_hits_are_misses`. Without a threshold nothing happens.
void lower_threshold_below(double far, cache::HitAndMiss& seen);

}  // namespace tomograph::data_cache

#endif
