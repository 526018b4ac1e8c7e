#ifndef TOMOGRAPH_CACHE_ANALYSIS_KNEE_HPP
#define TOMOGRAPH_CACHE_ANALYSIS_KNEE_HPP

#include "tomograph/cache/retention.hpp"

namespace tomograph::cache {

/// Whether every line beyond the knee overflows a set of its own: `two_more` lines beyond it miss about twice as often
/// as `one_more`. True as well if one set takes all lines. False alarms: 3e-5 for Poisson distributed misses (one-sided
/// normal, 4 standard deviations).
[[nodiscard]] bool overflows_evenly(const Retained& one_more, const Retained& two_more);

}  // namespace tomograph::cache

#endif
