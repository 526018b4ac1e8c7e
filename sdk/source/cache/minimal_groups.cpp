#include "minimal_groups.hpp"

#include <algorithm>

#include "overflowing_walks.hpp"

namespace tomograph::cache {

std::vector<ConflictGroup> minimal_groups(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                                          std::span<const std::vector<std::int64_t>> groups) {
  std::vector<Walk> walks;
  for (const auto& lines : groups) {
    walks.push_back({lines, true});
    for (std::size_t i = 0; i < lines.size(); ++i) {
      walks.push_back({lines, false});
      auto& fewer = walks.back().lines;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  const auto answers = overflows(execute, subject, line_bytes, walks);
  std::vector<ConflictGroup> verified;
  auto at = answers.begin();
  for (const auto& lines : groups) {
    const auto end = at + std::ssize(lines) + 1;
    if (*at && std::none_of(at + 1, end, [](bool overflow) { return overflow; })) verified.push_back({lines});
    at = end;
  }
  return verified;
}

}  // namespace tomograph::cache
