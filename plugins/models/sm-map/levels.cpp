#include "levels.hpp"

#include <map>
#include <utility>

namespace tomograph::sm_map {

std::optional<Level> level_of(const std::vector<std::vector<std::int64_t>>& groups, std::size_t sms) {
  constexpr auto none = static_cast<std::size_t>(-1);
  Level level(sms, none);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (const std::int64_t sm : groups[group]) {
      const auto place = static_cast<std::size_t>(sm);
      if (sm < 0 || place >= sms || level[place] != none) return std::nullopt;
      level[place] = group;
    }
  }
  for (const std::size_t group : level) {
    if (group == none) return std::nullopt;
  }
  return renumbered(level);
}

Level renumbered(const Level& level) { return common(level, Level(level.size(), 0)); }

Level common(const Level& one, const Level& other) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> numbers;
  Level level;
  for (std::size_t sm = 0; sm < one.size(); ++sm) {
    level.push_back(numbers.try_emplace({one[sm], other[sm]}, numbers.size()).first->second);
  }
  return level;
}

std::optional<std::string> stray(const Level& inner, const Level& outer) {
  std::map<std::size_t, std::size_t> first;  // SM of each inner group
  for (std::size_t sm = 0; sm < inner.size(); ++sm) {
    const std::size_t other = first.try_emplace(inner[sm], sm).first->second;
    if (outer[sm] != outer[other]) return "SMs " + std::to_string(other) + " and " + std::to_string(sm);
  }
  return std::nullopt;
}

}  // namespace tomograph::sm_map
