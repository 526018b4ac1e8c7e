#ifndef TOMOGRAPH_CACHE_SHARING_ANALYSIS_RELATION_HPP
#define TOMOGRAPH_CACHE_SHARING_ANALYSIS_RELATION_HPP

#include <optional>
#include <string>

#include "analysis_effect.hpp"

namespace tomograph::cache_sharing {

/// What is known about two load paths: the owner loads the tested lines, the rival tries to evict them.
struct Direction {
  analysis::EffectEvidence evicted;               ///< full: the rival's loads evict the owner's lines as its own do
  std::optional<analysis::EffectEvidence> found;  ///< full: the owner finds lines that the rival has loaded
};

enum class Relation { same_cache, separate_caches, undecided };

struct Verdict {
  Relation relation = Relation::undecided;
  double error = 1;    ///< probability that it is wrong
  std::string reason;  ///< why it is undecided
};

/// Paths of the same cache evict each other's lines, paths of separate caches do not. If the owner's own loads evict
/// too few lines in one direction, the other direction decides, with a larger error. Lines that the owner finds
/// although nothing was evicted contradict separate caches. Lines that it does not find contradict nothing, since paths
/// may tag their lines differently.
[[nodiscard]] Verdict relation(const Direction& one, const Direction& other);

}  // namespace tomograph::cache_sharing

#endif
