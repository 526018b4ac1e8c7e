#include "levels.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

namespace tomograph::hwloc {

namespace {

constexpr std::string_view groups_suffix = ".sm_groups";

bool has_l2(const Topology& topology) {
  constexpr std::array keys{"l2.size", "l2.nominal_size", "l2.latency", "l2.partition.of_sm"};
  return std::ranges::any_of(keys, [&](const char* key) { return topology.fact(key) != nullptr; });
}

/// The L2: one group for each partition if it is known which SM lies in which.
Level l2_level(const Topology& topology, const Sms& sms) {
  const auto partition_of_sm = topology.value<std::vector<std::int64_t>>("l2.partition.of_sm");
  if (!partition_of_sm || partition_of_sm->size() != sms.size()) return {"l2", {sms}};
  std::map<std::int64_t, Sms> partitions;
  for (std::size_t sm = 0; sm < partition_of_sm->size(); ++sm) {
    partitions[(*partition_of_sm)[sm]].push_back(static_cast<std::int64_t>(sm));
  }
  Level level{"l2.partition", {}};
  for (auto& [partition, sms] : partitions) level.groups.push_back(std::move(sms));
  return level;
}

Level level_of(const Topology& topology, const std::string& key) {
  Level level{key.substr(0, key.size() - groups_suffix.size()), topology.needed<std::vector<Sms>>(key)};
  for (Sms& group : level.groups) std::ranges::sort(group);
  return level;
}

bool holds_each_once(const Level& level, const Sms& sms) {
  Sms members;
  for (const Sms& group : level.groups) members.insert(members.end(), group.begin(), group.end());
  std::ranges::sort(members);
  return members == sms;
}

bool lies_within(const Level& inner, const Level& outer) {
  return std::ranges::all_of(inner.groups, [&](const Sms& group) {
    return std::ranges::any_of(outer.groups, [&](const Sms& around) { return std::ranges::includes(around, group); });
  });
}

/// What each SM has for itself groups none. A private constant L1.5 is a cache of its own; TLBs and texture caches are
/// not drawn.
bool groups_nothing(const Level& level, const Sms& sms) {
  return level.groups.size() == sms.size() && (level.key.starts_with("tlb.") || level.key == "texture");
}

}  // namespace

Sms all_sms(const Topology& topology) {
  Sms sms(topology.needed<std::size_t>("device.sm_count"));
  std::iota(sms.begin(), sms.end(), 0);
  return sms;
}

std::vector<Level> nested_levels(const Topology& topology) {
  const Sms sms = all_sms(topology);
  std::vector<Level> candidates;
  if (has_l2(topology)) candidates.push_back(l2_level(topology, sms));
  for (const auto& [key, fact] : topology.facts()) {
    if (key.ends_with(groups_suffix)) candidates.push_back(level_of(topology, key));
  }
  std::ranges::stable_sort(candidates, {}, [](const Level& level) { return level.groups.size(); });
  std::vector<Level> levels;
  for (Level& candidate : candidates) {
    if (!holds_each_once(candidate, sms) || groups_nothing(candidate, sms)) continue;
    if (levels.empty() || lies_within(candidate, levels.back())) levels.push_back(std::move(candidate));
  }
  return levels;
}

}  // namespace tomograph::hwloc
