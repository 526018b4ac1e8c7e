#include "analysis_shared_with.hpp"

namespace tomograph::cache_sharing {

namespace {

Verdict verdict_on(const Directions& directions, std::size_t first, std::size_t second) {
  return relation(directions.at({first, second}), directions.at({second, first}));
}

bool same(const Directions& directions, std::size_t first, std::size_t second) {
  return verdict_on(directions, first, second).relation == Relation::same_cache;
}

/// The number of a third path that shares a cache with `one` or with `other`, but not with both, although these share
/// one. `count` if there is none.
std::size_t contradicting(const Directions& directions, std::size_t count, std::size_t one, std::size_t other) {
  for (std::size_t third = 0; third < count; ++third) {
    if (third == one || third == other) continue;
    if (same(directions, other, third) && same(directions, one, other) != same(directions, one, third)) return third;
  }
  return count;
}

}  // namespace

std::vector<Pair> ordered_pairs(std::size_t count) {
  std::vector<Pair> pairs;
  for (std::size_t owner = 0; owner < count; ++owner) {
    for (std::size_t rival = 0; rival < count; ++rival) {
      if (owner != rival) pairs.push_back({owner, rival});
    }
  }
  return pairs;
}

void SharedWith::add(const std::string& name, const Verdict& verdict) {
  compared.push_back(name);
  error += verdict.error;
  if (verdict.relation == Relation::same_cache) same.push_back(name);
  if (verdict.relation == Relation::undecided && undecided.empty()) {
    undecided = "whether it is " + name + ": " + verdict.reason;
  }
}

SharedWith shared_with(const std::vector<std::string>& names, const Directions& directions, std::size_t one) {
  SharedWith found;
  for (std::size_t other = 0; other < names.size(); ++other) {
    if (other == one) continue;
    found.add(names[other], verdict_on(directions, one, other));
    const std::size_t third = contradicting(directions, names.size(), one, other);
    if (found.undecided.empty() && third < names.size()) {
      found.undecided = names[other] + " and " + names[third] +
                        " evict each other's lines, but only one of them evicts those of " + names[one];
    }
  }
  return found;
}

}  // namespace tomograph::cache_sharing
