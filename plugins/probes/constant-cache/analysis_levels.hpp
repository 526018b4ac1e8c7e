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

/// Lines lie in several partitions and slices, so means count, without this share at either end, which DRAM refresh and
/// translation delay.
inline constexpr double mean_trimmed = 0.05;

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

/// Loads on one SM that tell a second level from L2 where every neighbour shares it, or where it remembers lines of
/// earlier programs.
struct Reference {
  std::vector<double> small;  ///< of the smallest footprint that the first level does not hold, walked before
  std::vector<double> large;  ///< of the largest footprint of which L2 certainly holds all, walked before
  std::vector<double> l2;     ///< of global memory, past every cache but L2, which holds it
};

/// The latencies of all of them.
[[nodiscard]] std::vector<double> all_of(std::span<const Neighbour> neighbours);

struct Spectrum {
  std::vector<double> hits;  ///< of a footprint of two nodes, walked before
  std::vector<Step> steps;   ///< ascending
  std::vector<Neighbour> neighbours;
  std::optional<Reference> reference = std::nullopt;
};

/// Why it is not known whether there is a second level, or how long its misses take.
enum class Ambiguity {
  none,
  first_holds_all,   ///< no load missed the first level
  partitions,        ///< near and far partitions of L2 might explain the latencies
  second_holds_all,  ///< first-level misses are too fast for L2, but nothing missed the second level
  near_l2            ///< first-level misses are a little faster than L2
};

/// Which loads L2 served.
enum class FromL2 { first_misses, after_neighbours, large_footprint };

/// The levels before L2. A neighbour that shares the second level leaves its lines there; any other leaves them in L2
/// only. So loads that the first level misses, but that are faster than those after most neighbours, hit in a second
/// level, unless the difference is that between near and far partitions of L2. Where neighbours show none, a second
/// level is one that a larger footprint overflows.
struct Levels {
  /// Nothing: repeated loads take as long as first loads, or as loads from L2, so that no other cache holds constants.
  std::optional<analysis::Threshold> first;
  /// Nothing: misses of the first level go to L2, or none was seen, or it is ambiguous.
  std::optional<analysis::Threshold> second;
  Ambiguity ambiguity = Ambiguity::none;
  std::int64_t beyond_first = 0;     ///< smallest footprint that the first level does not hold; 0: it holds all
  std::vector<double> first_misses;  ///< loads of that footprint that the first level missed
  std::vector<double> from_l2;       ///< loads that L2 served, if any are known
  FromL2 source = FromL2::first_misses;
  bool as_slow_as_l2 = false;  ///< misses of the first level take as long as global loads from L2
};

/// `far_distance` is the extra latency of the far partition of L2, and `near_l2` the mean latency of global loads from
/// the near one, if they are known. Misses that take as long as those come from L2, whatever neighbours show: a copy in
/// each partition looks like a level that groups of SMs share.
[[nodiscard]] Levels find_levels(const Spectrum& spectrum, std::optional<double> far_distance,
                                 std::optional<double> near_l2 = std::nullopt);

/// Of loads on one SM those that L2 served. Of first loads after several neighbours only those after the nearest one,
/// since the others' lines may lie in another partition.
[[nodiscard]] std::vector<double> served_by_l2(const Levels& levels, std::span<const Neighbour> loads);

/// Hits of the second level: loads that the first level missed and the second one did not.
struct SecondHits {
  std::vector<std::int64_t> sms;
  std::vector<double> by_sm;  ///< their means, by SM
  std::vector<double> all;    ///< of these SMs
};

/// The hits of the second level that SM 0 showed in `levels`, and those out of loads of one footprint on other SMs. An
/// SM without any is left out. Requires levels.second.
[[nodiscard]] SecondHits hits_of_second(const Levels& levels, std::span<const Neighbour> loads);

}  // namespace tomograph::constant_cache

#endif
