#ifndef TOMOGRAPH_CONSTANT_CACHE_ANALYSIS_LEVELS_HPP
#define TOMOGRAPH_CONSTANT_CACHE_ANALYSIS_LEVELS_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tomograph/analysis/latency_modes.hpp"

/// How many levels of caches hold constants, from latencies alone. Nothing is assumed about whether a level exists, how
/// large it is or how long it takes.
namespace tomograph::constant_cache {

/// Loads of a footprint that was walked before. Latencies are net.
struct Step {
  std::int64_t bytes = 0;
  std::vector<double> latencies;
};

/// First loads of lines that another SM, the neighbour, has loaded into L2: the same lines in the same order after
/// every SM.
struct Neighbour {
  std::int64_t sm = 0;
  std::vector<double> latencies;
};

struct Spectrum {
  std::vector<double> hits;  ///< of a footprint of two nodes, walked before
  std::vector<Step> steps;   ///< ascending
  std::vector<Neighbour> neighbours;
};

/// The levels before L2. A neighbour that shares the second level leaves its lines there; any other leaves them in L2
/// only. So loads that the first level misses, but that are faster than those after most neighbours, hit in a second
/// level, unless the difference is that between near and far partitions of L2.
struct Levels {
  /// Nothing: repeated loads take as long as first loads, so that no cache holds constants.
  std::optional<analysis::Threshold> first;
  /// Nothing: misses of the first level go to L2, or none was seen, or the two cannot be told apart.
  std::optional<analysis::Threshold> second;
  bool open = false;                 ///< whether there is a second level could not be decided
  std::int64_t beyond_first = 0;     ///< smallest footprint that the first level does not hold; 0: it holds all
  std::vector<double> first_misses;  ///< loads of that footprint that the first level missed
  std::vector<double> from_l2;       ///< loads that L2 served; one for each line, unless they are `first_misses`
};

/// `far_distance` is the extra latency of the far partition of L2, if it is known.
[[nodiscard]] Levels find_levels(const Spectrum& spectrum, std::optional<double> far_distance);

/// Hits of the second level: loads that the first level missed and the second one did not.
struct SecondHits {
  std::vector<std::int64_t> sms;
  std::vector<double> by_sm;  ///< their medians, by SM
  std::vector<double> all;    ///< of these SMs and of `levels`
};

/// Picks the hits of the second level out of loads of one footprint on several SMs. An SM without any is left out.
/// Requires levels.second.
[[nodiscard]] SecondHits hits_of_second(const Levels& levels, std::span<const Neighbour> loads);

}  // namespace tomograph::constant_cache

#endif
