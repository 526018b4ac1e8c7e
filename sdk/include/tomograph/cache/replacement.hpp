#ifndef TOMOGRAPH_CACHE_REPLACEMENT_HPP
#define TOMOGRAPH_CACHE_REPLACEMENT_HPP

#include <string>
#include <vector>

#include "tomograph/analysis/miss_pattern.hpp"
#include "tomograph/cache/sets.hpp"

namespace tomograph::cache {

/// How a set chooses its victims.
struct Replacement {
  std::string policy = {};  ///< "lru", "fifo", "random", "way-weighted", "not-lru", or empty: inconclusive
  double confidence = 0;
  std::vector<double> way_probability = {};  ///< for "way-weighted" and "random"
  std::size_t victims = 0;                   ///< replacements seen
  std::string reason = {};                   ///< why it is inconclusive
  std::vector<double> trace = {};            ///< net latencies of the first program's walk
};

/// Walks the ways + 1 lines of each group (Mei & Chu 2017, Fig. 11) and reads the policy from who is replaced; where
/// every load misses, touching the oldest line once more before the overflow tells LRU from FIFO.
[[nodiscard]] Replacement replacement(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                                      std::span<const ConflictGroup> groups);

}  // namespace tomograph::cache

#endif
