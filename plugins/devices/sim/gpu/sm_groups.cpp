#include "sim/gpu/sm_groups.hpp"

#include <algorithm>
#include <numeric>

#include "sim/gpu/section.hpp"

namespace tomograph::sim {

namespace {

SmGroups consecutive_groups(std::int64_t sm_count, std::int64_t size) {
  SmGroups groups;
  for (std::int64_t sm = 0; sm < sm_count; ++sm) {
    if (sm % size == 0) groups.emplace_back();
    groups.back().push_back(sm);
  }
  return groups;
}

}  // namespace

std::vector<std::uint32_t> group_of_each_sm(const SmGroups& groups, std::int64_t sm_count) {
  std::vector<std::uint32_t> group_of(static_cast<std::size_t>(sm_count));
  std::iota(group_of.begin(), group_of.end(), 0U);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (const std::int64_t sm : groups[group]) {
      group_of[static_cast<std::size_t>(sm)] = static_cast<std::uint32_t>(group);
    }
  }
  return group_of;
}

Broken sm_groups_violation(const SmGroups& groups, std::int64_t sm_count, const std::string& key) {
  if (groups.empty()) return std::nullopt;
  std::vector<bool> named(static_cast<std::size_t>(sm_count));
  for (const auto& group : groups) {
    for (const std::int64_t sm : group) {
      if (sm >= sm_count) return Violation{key, "names SM " + text(sm) + ", there are " + text(sm_count)};
      if (named[static_cast<std::size_t>(sm)]) return Violation{key, "names SM " + text(sm) + " twice"};
      named[static_cast<std::size_t>(sm)] = true;
    }
  }
  const auto missing = std::ranges::find(named, false);
  if (missing == named.end()) return std::nullopt;
  return Violation{key, "does not name SM " + text(missing - named.begin()) + ", each SM belongs to a group"};
}

SmGroups read_shared_by(const Section& section, std::int64_t sm_count) {
  if (!section.has("shared_by")) return {};
  if (section.is_array("shared_by")) return section.integer_lists("shared_by");
  const std::int64_t size = section.integer("shared_by");
  if (const auto broken = at_most("shared_by", size, "sm_count", sm_count)) {
    section.refuse("shared_by", broken->rule);
  }
  return consecutive_groups(sm_count, size);
}

}  // namespace tomograph::sim
