#include "analysis_sets.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>

namespace tomograph::cache {

namespace {

/// Calls `see` with the groups' first lines and each of the others that share their sets.
template <typename See>
void for_each_pair(std::span<const ConflictGroup> groups, See see) {
  for (const ConflictGroup& group : groups) {
    for (std::size_t i = 1; i < group.lines.size(); ++i) see(group.lines[0], group.lines[i]);
  }
}

/// How many of the differences, from the last one back, leave `as_before(those before it)` true.
template <typename AsBefore>
std::size_t confirming(std::size_t differences, AsBefore as_before) {
  std::size_t count = 0;
  while (count + 1 < differences && as_before(differences - count - 1)) ++count;
  return count;
}

/// Byte-offset differences of lines that share a set, as XORs.
std::vector<std::uint64_t> differences_of(std::span<const ConflictGroup> groups, std::int64_t line_bytes) {
  std::vector<std::uint64_t> differences;
  for_each_pair(groups, [&](std::int64_t a, std::int64_t b) {
    differences.push_back(static_cast<std::uint64_t>((a * line_bytes) ^ (b * line_bytes)));
  });
  return differences;
}

/// The greatest number of sets by whose remainder lines of each group share one.
std::int64_t common_divisor(std::span<const std::int64_t> distances) {
  return std::accumulate(distances.begin(), distances.end(), std::int64_t{0}, std::gcd<std::int64_t, std::int64_t>);
}

std::size_t set_of(const Sets& sets, std::int64_t line, std::int64_t line_bytes) {
  if (sets.modulus) return static_cast<std::size_t>(line % *sets.modulus);
  const auto& masks = sets.index.masks;
  std::size_t set = 0;
  for (std::size_t bit = 0; bit < masks.size(); ++bit) {
    const auto parity =
        static_cast<unsigned>(__builtin_parityll(masks[bit] & static_cast<std::uint64_t>(line * line_bytes)));
    set |= static_cast<std::size_t>(parity) << (masks.size() - 1 - bit);
  }
  return set;
}

}  // namespace

std::size_t count_of(const Sets& sets) {
  return sets.modulus ? static_cast<std::size_t>(*sets.modulus) : std::size_t{1} << sets.index.bits();
}

Sets index_of(std::span<const ConflictGroup> groups, std::int64_t line_bytes, std::uint64_t varied) {
  const auto differences = differences_of(groups, line_bytes);
  Sets sets{.index = analysis::recover_index(differences, varied), .set_ways = {}, .differences = differences.size()};
  std::vector<std::int64_t> distances;
  for_each_pair(groups, [&](std::int64_t a, std::int64_t b) { distances.push_back(std::abs(a - b)); });
  const std::int64_t divisor = common_divisor(distances);
  if (divisor > std::int64_t{1} << sets.index.bits()) {
    sets.modulus = divisor;
    sets.confirming = confirming(distances.size(), [&](std::size_t first) {
      return common_divisor(std::span(distances).first(first)) == divisor;
    });
  } else {
    sets.confirming = confirming(differences.size(), [&](std::size_t first) {
      return analysis::recover_index(std::span(differences).first(first), varied).bits() == sets.index.bits();
    });
  }
  return sets;
}

bool fits_groups(const Sets& sets, std::span<const ConflictGroup> groups, std::int64_t line_bytes) {
  const auto differing = std::ranges::count_if(groups, [&](const ConflictGroup& group) {
    return sets.set_ways[set_of(sets, group.lines[0], line_bytes)] != group.ways();
  });
  constexpr double few = 0.25;  // chosen by hand
  return static_cast<double>(differing) <= few * static_cast<double>(groups.size());
}

std::vector<std::vector<std::int64_t>> lines_by_set(const Sets& sets, std::int64_t line_bytes, std::int64_t region) {
  std::vector<std::vector<std::int64_t>> lines(count_of(sets));
  for (std::int64_t line = 0; line < region / line_bytes; ++line) lines[set_of(sets, line, line_bytes)].push_back(line);
  return lines;
}

std::int64_t Sets::lines() const { return std::accumulate(set_ways.begin(), set_ways.end(), std::int64_t{0}); }

bool Sets::equal() const { return std::ranges::adjacent_find(set_ways, std::not_equal_to<>{}) == set_ways.end(); }

}  // namespace tomograph::cache
