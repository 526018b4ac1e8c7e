#include "analysis_groups.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

namespace tomograph::tlb {

std::int64_t ways_of(const Group& group) { return static_cast<std::int64_t>(group.size()) - 1; }

std::vector<std::int64_t> selected(const std::vector<std::int64_t>& pages, const std::vector<bool>& chosen) {
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (chosen[i]) result.push_back(pages[i]);
  }
  return result;
}

std::vector<std::int64_t> joined(std::vector<std::int64_t> a, const std::vector<std::int64_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<std::int64_t> without(std::vector<std::int64_t> pages, const std::vector<Group>& groups) {
  std::erase_if(pages, [&](std::int64_t page) {
    return std::ranges::any_of(groups, [&](const Group& group) { return std::ranges::binary_search(group, page); });
  });
  return pages;
}

void drop_unions(std::vector<Group>& groups) {
  if (groups.empty()) return;
  const std::size_t smallest = std::ranges::min_element(groups, {}, &Group::size)->size();
  std::erase_if(groups, [&](const Group& group) { return group.size() > smallest && group.size() % smallest == 0; });
}

std::optional<Group> take_whole(std::int64_t entries, const Draw& draw, std::vector<Group>& groups) {
  const auto whole = std::ranges::find(groups, draw.missing.size(), &Group::size);
  if (entries <= small_level || whole == groups.end()) return std::nullopt;
  Group taken = std::move(*whole);
  groups.erase(whole);
  return taken;
}

bool is_even(std::int64_t entries, const std::vector<Group>& groups) {
  return !groups.empty() &&
         std::ranges::all_of(groups, [&](const Group& group) { return group.size() == groups.front().size(); }) &&
         entries % ways_of(groups.front()) == 0;
}

std::optional<Group> completed_set(const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& now) {
  const std::unordered_set<std::int64_t> missed_before(before.begin(), before.end());
  Group fresh;
  std::ranges::copy_if(now, std::back_inserter(fresh),
                       [&](std::int64_t page) { return missed_before.count(page) == 0; });
  return fresh.size() > 1 ? std::optional(fresh) : std::nullopt;
}

}  // namespace tomograph::tlb
