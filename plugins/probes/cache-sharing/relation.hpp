#ifndef TOMOGRAPH_CACHE_SHARING_RELATION_HPP
#define TOMOGRAPH_CACHE_SHARING_RELATION_HPP

#include <optional>
#include <string>

#include "analysis_effect.hpp"

namespace tomograph::cache_sharing {

/// What is known about two caches, the *owner* of tested lines and the *rival* that tries to evict them.
struct Direction {
  analysis::EffectEvidence evicted;               ///< full: the rival's loads evict the owner's lines as its own do
  std::optional<analysis::EffectEvidence> found;  ///< full: the owner finds lines that the rival has loaded
};

enum class Relation { same, separate, undecided };

struct Verdict {
  Relation relation = Relation::undecided;
  double error = 1;    ///< probability that it is wrong
  std::string reason;  ///< why it is undecided
};

/// One cache evicts either way, separate ones neither way. A direction whose own loads evict too little to tell leaves
/// the decision to the other one, with an error that says so. Lines found through the other path although nothing was
/// evicted contradict; lines not found do not, since paths may tag their lines apart.
[[nodiscard]] Verdict relation(const Direction& one, const Direction& other);

}  // namespace tomograph::cache_sharing

#endif
