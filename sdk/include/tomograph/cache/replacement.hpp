#ifndef TOMOGRAPH_CACHE_REPLACEMENT_HPP
#define TOMOGRAPH_CACHE_REPLACEMENT_HPP

#include <string>
#include <vector>

#include "tomograph/analysis/miss_pattern.hpp"
#include "tomograph/cache/sets.hpp"

namespace tomograph::cache {

/// How a set chooses its victims.
struct Replacement {
  /// "lru", "fifo", "segmented-lru", "tree-plru", "random", "way-weighted", "way-order" or "not-lru". Empty:
  /// inconclusive.
  std::string policy = {};
  double confidence = 0;
  std::vector<double> way_probability = {};  ///< for "way-weighted", "way-order" and "random"
  std::vector<std::size_t> way_order = {};   ///< for "way-order": ways of successive victims, over and over, from 0
  std::int64_t protected_ways = 0;           ///< for "segmented-lru": ways for lines that were used again
  std::size_t victims = 0;                   ///< replacements observed
  std::string reason = {};                   ///< why the policy is inconclusive
  std::vector<double> trace = {};            ///< net latencies of the first program's walk
};

/// Determines the policy from walks over the ways + 1 lines of each group (Mei & Chu 2017, Fig. 11): which lines are
/// replaced, and how often. If every load misses, touching the oldest line again before the overflow tells LRU from
/// FIFO, and lines that survive as many new lines as there are ways tell segmented LRU (Karedla, Love & Wherry 1994)
/// from LRU. LRU and FIFO must then predict visits in random order, load by load. Other policies are compared with
/// tree-PLRU in the same way. Victims that repeat an order of ways are "way-order" if that order predicts such visits,
/// too. If the subject touches lines twice, LRU, FIFO and segmented LRU are told by such visits and by the lines that
/// survive others.
[[nodiscard]] Replacement replacement(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                                      std::span<const ConflictGroup> groups, const Sets& sets);

}  // namespace tomograph::cache

#endif
