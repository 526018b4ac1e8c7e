#ifndef TOMOGRAPH_CACHE_SHARING_ANALYSIS_SHARED_WITH_HPP
#define TOMOGRAPH_CACHE_SHARING_ANALYSIS_SHARED_WITH_HPP

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis_relation.hpp"

/// Which load paths share a cache, from the verdicts on all pairs of them.
namespace tomograph::cache_sharing {

struct Pair {
  std::size_t owner = 0;
  std::size_t rival = 0;
};

/// Every pair of different paths out of `count`, in either direction.
[[nodiscard]] std::vector<Pair> ordered_pairs(std::size_t count);

/// What is known about each ordered pair, by owner and rival.
using Directions = std::map<std::pair<std::size_t, std::size_t>, Direction>;

/// The caches that a cache was compared with.
struct SharedWith {
  std::vector<std::string> same;      ///< those that are the same one
  std::vector<std::string> compared;  ///< all of them
  double error = 0;                   ///< bound on the probability that any verdict is wrong: their sum
  std::string undecided;              ///< the question that the first undecided verdict leaves open, or nothing

  void add(const std::string& name, const Verdict& verdict);
};

/// What the verdicts on all pairs say about path number `one`. Two paths of one cache of which only one shares a cache
/// with `one` contradict each other, which leaves the question undecided.
/// @throws std::out_of_range if `directions` lacks a pair.
[[nodiscard]] SharedWith shared_with(const std::vector<std::string>& names, const Directions& directions,
                                     std::size_t one);

}  // namespace tomograph::cache_sharing

#endif
