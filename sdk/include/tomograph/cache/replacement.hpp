#ifndef TOMOGRAPH_CACHE_REPLACEMENT_HPP
#define TOMOGRAPH_CACHE_REPLACEMENT_HPP

#include <string>
#include <vector>

#include "tomograph/analysis/miss_pattern.hpp"
#include "tomograph/cache/sets.hpp"

namespace tomograph::cache {

/// How a set chooses its victims.
struct Replacement {
  std::string policy =
      {};  ///< "lru", "fifo", "segmented-lru", "tree-plru", "random", "way-weighted", "not-lru", or empty: inconclusive
  double confidence = 0;
  std::vector<double> way_probability = {};  ///< for "way-weighted" and "random"
  std::int64_t protected_ways = 0;           ///< for "segmented-lru": lines of a set kept before any that was used once
  std::size_t victims = 0;                   ///< replacements seen
  std::string reason = {};                   ///< why it is inconclusive
  std::vector<double> trace = {};            ///< net latencies of the first program's walk
};

/// Walks the ways + 1 lines of each group (Mei & Chu 2017, Fig. 11) and reads the policy from who is replaced; where
/// every load misses, touching the oldest line once more before the overflow tells LRU from FIFO, and lines that
/// survive as many newcomers as there are ways tell segmented LRU (Karedla, Love & Wherry 1994) from LRU. What is none
/// of these is held against tree-PLRU, visit by visit.
[[nodiscard]] Replacement replacement(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                                      std::span<const ConflictGroup> groups, const Sets& sets);

}  // namespace tomograph::cache

#endif
