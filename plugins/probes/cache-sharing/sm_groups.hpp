#ifndef TOMOGRAPH_CACHE_SHARING_SM_GROUPS_HPP
#define TOMOGRAPH_CACHE_SHARING_SM_GROUPS_HPP

#include <string>

#include "analysis_grouping.hpp"
#include "tomograph/session/session.hpp"

namespace tomograph::cache_sharing {

/// Facts about which SMs share an instance of something, and how they are known.
struct SmGroups {
  std::string groups_key;  ///< also the name of the evidence
  std::string size_key;
  const char* method;
  const char* undecided;  ///< what comes out neither way where a comparison is undecided
  std::uint64_t samples = 0;
  Value conditions = Value::table();
};

/// The groups, and the number of SMs in each where all have as many. Inconclusive if a comparison was undecided.
void publish(const Session& session, const SmGroups& facts, const analysis::Grouping& found);

}  // namespace tomograph::cache_sharing

#endif
