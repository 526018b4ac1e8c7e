#ifndef TOMOGRAPH_CONSTANT_CACHE_LEVELS_HPP
#define TOMOGRAPH_CONSTANT_CACHE_LEVELS_HPP

#include <cstdint>
#include <optional>
#include <vector>

#include "tomograph/analysis/latency_modes.hpp"
#include "tomograph/cache/hit_and_miss.hpp"

/// How many levels loads of constants see, told from latencies alone. No level is assumed to be there, to end anywhere
/// or to be faster than anything.
namespace tomograph::constant_cache {

/// Loads of a footprint that was walked before. Latencies are net.
struct Step {
  std::int64_t bytes = 0;
  std::vector<double> latencies;
};

/// First loads of lines that another SM has brought into L2: the same lines in the same order after every SM.
struct Neighbour {
  std::int64_t sm = 0;
  std::vector<double> latencies;
};

struct Spectrum {
  std::vector<double> hits;  ///< of a footprint of two nodes, walked before
  std::vector<Step> steps;   ///< ascending
  std::vector<Neighbour> neighbours;
};

/// The levels before L2. A neighbour that shares the second level leaves hits there; one that does not leaves lines in
/// L2 only. So loads that the first level misses but that are faster than those after most neighbours come from a
/// second level, unless the difference is that between near and far partitions of L2.
struct Levels {
  /// Nothing: loads of what was just loaded take as long as first loads, there is no cache for constants.
  std::optional<analysis::Threshold> first;
  /// Nothing: misses of the first level go to L2, or none was seen, or the two cannot be told apart.
  std::optional<analysis::Threshold> second;
  bool open = false;                 ///< whether there is a second level could not be decided
  std::int64_t beyond_first = 0;     ///< smallest footprint that the first level does not hold; 0: it holds all
  std::vector<double> first_misses;  ///< loads of that footprint that the first level missed
  std::vector<double>
      behind;  ///< loads that no level before L2 held; one for each line, unless they are `first_misses`
};

/// `far_excess` is what loads from the far partition of L2 take longer than from the near one, if it is known.
[[nodiscard]] Levels find_levels(const Spectrum& spectrum, std::optional<double> far_excess);

/// Bytes of constants that one program can load, to 256 B: the largest array that the device does not refuse.
/// @throws Refused if it refuses constants altogether.
[[nodiscard]] std::int64_t reach(const cache::Executor& execute);

/// Hits of a footprint of two nodes on every SM: by_sm from many loads timed in total, hits one by one, no misses.
[[nodiscard]] cache::HitAndMiss smallest_footprint(const cache::Executor& execute, std::int64_t sm_count);

/// Loads of footprints up to `reach_bytes` in random order after two walks, on one SM.
[[nodiscard]] std::vector<Step> sweep(const cache::Executor& execute, std::int64_t reach_bytes);

/// First loads on SM 0 after each of up to 16 other SMs loaded the same lines.
[[nodiscard]] std::vector<Neighbour> after_neighbours(const cache::Executor& execute, std::int64_t reach_bytes,
                                                      std::int64_t sm_count);

/// Loads of one footprint, walked before, on up to 16 SMs.
[[nodiscard]] std::vector<Neighbour> on_other_sms(const cache::Executor& execute, std::int64_t bytes,
                                                  std::int64_t sm_count);

}  // namespace tomograph::constant_cache

#endif
