#include "publish.hpp"

#include <algorithm>

#include "tomograph/analysis/confidence.hpp"

namespace tomograph::cache_sharing {

namespace {

/// SMs per instance, where all instances serve as many.
std::optional<std::size_t> equal_size(const std::vector<std::vector<std::int64_t>>& groups) {
  const bool equal = std::ranges::all_of(groups, [&](const auto& one) { return one.size() == groups.front().size(); });
  return equal ? std::optional(groups.front().size()) : std::nullopt;
}

}  // namespace

void publish(const Session& session, const SmGroups& facts, const analysis::Grouping& found) {
  if (!found.undecided.empty()) {
    const std::string reason = "SMs " + found.undecided + ": " + facts.undecided;
    session.inconclusive(facts.groups_key, reason);
    return session.inconclusive(facts.size_key, reason);
  }
  Value conditions = facts.conditions;
  conditions["error_rate"] = found.error;
  Fact groups{.key = facts.groups_key,
              .value = found.groups(),
              .method = facts.method,
              .confidence = std::min(confidence::from_error(found.error), facts.most_confidence),
              .samples = facts.samples,
              .conditions = std::move(conditions),
              .evidence = facts.groups_key};
  session.publish(groups);
  const auto size = equal_size(found.groups());
  if (!size) return session.absent(facts.size_key, "instances serve different numbers of SMs");
  groups.key = facts.size_key;
  groups.value = *size;
  session.publish(groups);
}

void publish(const Session& session, const SharingFact& fact) {
  const SharedWith& found = fact.found;
  if (!found.undecided.empty()) return session.inconclusive(fact.key, found.undecided);
  if (found.compared.empty()) {
    const std::string reason = "there is no other cache to share with";
    return session.absent(
        fact.key, fact.not_compared ? reason + ", as far as can be told: " + fact.not_compared->second : reason);
  }
  Fact published{.key = fact.key,
                 .value = found.same,
                 .method = fact.method,
                 .confidence = confidence::from_error(found.error),
                 .samples = fact.samples,
                 .conditions = {{"compared_with", found.compared}, {"error_rate", found.error}},
                 .evidence = fact.evidence};
  if (fact.not_compared) published.conditions["not_compared"][fact.not_compared->first] = fact.not_compared->second;
  session.publish(published);
}

}  // namespace tomograph::cache_sharing
