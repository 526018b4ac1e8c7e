#include "analysis_grouping.hpp"

#include <numeric>

namespace tomograph::analysis {

std::vector<std::vector<std::int64_t>> Grouping::groups() const {
  std::vector<std::vector<std::int64_t>> members(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < of_member.size(); ++i) {
    members[static_cast<std::size_t>(of_member[i])].push_back(static_cast<std::int64_t>(i));
  }
  return members;
}

std::vector<Split> splits(std::int64_t members) {
  std::vector<Split> all;
  for (std::int64_t bit = 1; bit < members; bit *= 2) {
    std::vector<std::int64_t> with;
    std::vector<std::int64_t> without;
    for (std::int64_t member = 0; member < members; ++member) {
      ((member & bit) != 0 ? with : without).push_back(member);
    }
    all.push_back({with, without});
    all.push_back({std::move(without), std::move(with)});
  }
  return all;
}

std::optional<Grouping> all_alone(std::int64_t members, const CompareSplit& compare) {
  Grouping alone;
  for (std::int64_t member = 0; member < members; ++member) alone.of_member.push_back(member);
  alone.count = members;
  for (const Split& split : splits(members)) {
    for (const EffectOdds& odds : compare(split)) {
      if (odds.full > odds.absent) return std::nullopt;
      alone.error += odds.error();
    }
  }
  return alone;
}

Grouping group(std::int64_t members, const Compare& compare, double largest_error) {
  Grouping found;
  found.of_member.assign(static_cast<std::size_t>(members), 0);
  std::vector<std::int64_t> open(static_cast<std::size_t>(members));
  std::iota(open.begin(), open.end(), 0);
  for (; !open.empty(); ++found.count) {
    const std::int64_t base = open.front();
    found.of_member[static_cast<std::size_t>(base)] = found.count;
    open.erase(open.begin());
    if (open.empty()) continue;
    const auto odds = compare(base, open);
    std::vector<std::int64_t> apart;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const double error = odds[i].error();
      found.error += error;
      const bool together = odds[i].full > odds[i].absent;
      if (found.undecided.empty() && (error > largest_error || odds[i].partial > 0.5)) {
        found.undecided = std::to_string(base) + " and " + std::to_string(open[i]);
      }
      if (together) {
        found.of_member[static_cast<std::size_t>(open[i])] = found.count;
      } else {
        apart.push_back(open[i]);
      }
    }
    open = std::move(apart);
  }
  return found;
}

}  // namespace tomograph::analysis
