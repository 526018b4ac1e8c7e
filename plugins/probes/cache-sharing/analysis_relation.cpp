#include "analysis_relation.hpp"

#include <algorithm>
#include <cmath>

namespace tomograph::cache_sharing {

namespace {

/// A direction counts if its probability of error is at most this.
constexpr double sure = 0.01;
/// Added to the error if one direction alone decided. Chosen by hand.
constexpr double one_sided = 0.02;

bool is_sure(const analysis::EffectOdds& odds) { return odds.error() <= sure; }

Relation relation_of(const analysis::EffectOdds& odds) {
  if (odds.full > std::max(odds.absent, odds.partial)) return Relation::same_cache;
  return odds.absent > odds.partial ? Relation::separate_caches : Relation::undecided;
}

bool finds(const Direction& direction) {
  if (!direction.found) return false;
  const auto odds = analysis::odds(*direction.found);
  return is_sure(odds) && odds.full > odds.absent && odds.full > odds.partial;
}

Verdict undecided(const char* reason) { return {Relation::undecided, 1, reason}; }

}  // namespace

Verdict relation(const Direction& one, const Direction& other) {
  const auto first = analysis::odds(one.evicted);
  const auto second = analysis::odds(other.evicted);
  if (!is_sure(first) && !is_sure(second)) return undecided("too few lines are evicted to tell");
  const bool both = is_sure(first) && is_sure(second);
  if (both && relation_of(first) != relation_of(second)) return undecided("loads evict lines in one direction only");
  const auto& decisive = is_sure(first) ? first : second;
  Verdict verdict{relation_of(decisive), both ? first.error() + second.error() : decisive.error() + one_sided, ""};
  if (verdict.relation == Relation::undecided) return undecided("loads evict only part of the lines");
  if (verdict.relation == Relation::separate_caches && (finds(one) || finds(other))) {
    return undecided("loads find lines of the other path, but evict none");
  }
  return verdict;
}

}  // namespace tomograph::cache_sharing
