#ifndef TOMOGRAPH_CACHE_SHARING_PUBLISH_HPP
#define TOMOGRAPH_CACHE_SHARING_PUBLISH_HPP

#include <optional>
#include <string>
#include <utility>

#include "analysis_grouping.hpp"
#include "analysis_shared_with.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/session.hpp"

namespace tomograph::cache_sharing {

/// Facts about which SMs share an instance of a cache or TLB, and how they are known.
struct SmGroups {
  std::string groups_key;  ///< also the name of the evidence
  std::string size_key;
  const char* method;
  const char* undecided;  ///< the question that an undecided comparison leaves open
  std::uint64_t samples = 0;
  Value conditions = Value::table();
  double most_confidence = confidence::empty_list;  ///< that the facts on which the comparison rests allow
};

/// The groups, and the number of SMs in each where all have as many. Inconclusive if a comparison was undecided.
void publish(const Session& session, const SmGroups& facts, const analysis::Grouping& found);

/// A fact "shared_with".
struct SharingFact {
  std::string key;
  const char* method = "";
  std::string evidence = {};
  std::uint64_t samples = 0;
  SharedWith found = {};
  /// A cache that could not be compared, and why.
  std::optional<std::pair<std::string, std::string>> not_compared = std::nullopt;
};

/// Publishes the fact. It is inconclusive if a verdict is undecided, and absent if there was nothing to compare with.
void publish(const Session& session, const SharingFact& fact);

}  // namespace tomograph::cache_sharing

#endif
