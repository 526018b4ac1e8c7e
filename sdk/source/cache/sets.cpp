#include "tomograph/cache/sets.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>

#include "overflowing_walks.hpp"

namespace tomograph::cache {

namespace {

using Lines = std::vector<std::int64_t>;

std::int64_t size(const Lines& lines) { return static_cast<std::int64_t>(lines.size()); }

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

/// The index that the groups show, without ways.
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

std::size_t count_of(const Sets& sets) {
  return sets.modulus ? static_cast<std::size_t>(*sets.modulus) : std::size_t{1} << sets.index.bits();
}

/// Whether no more than a few of the groups have another number of ways than their set.
bool fits_groups(const Sets& sets, std::span<const ConflictGroup> groups, std::int64_t line_bytes) {
  const auto differing = std::ranges::count_if(groups, [&](const ConflictGroup& group) {
    return sets.set_ways[set_of(sets, group.lines[0], line_bytes)] != group.ways();
  });
  return 4 * differing <= std::ssize(groups);
}

/// For each set the number of its lines that fit: by bisection over all sets at once, first guess `ways`.
std::optional<std::vector<std::int64_t>> count_ways(const Executor& execute, const Subject& subject,
                                                    std::int64_t line_bytes, const std::vector<Lines>& sets,
                                                    std::int64_t ways) {
  struct Bounds {
    std::int64_t fits = 0;
    std::int64_t misses = 0;
  };
  std::vector<Bounds> bounds;
  for (const Lines& lines : sets) bounds.push_back({0, size(lines) + 1});
  for (int step = 0; step < 64; ++step) {
    std::vector<Walk> walks;
    std::vector<std::pair<std::size_t, std::int64_t>> asked;
    for (std::size_t set = 0; set < sets.size(); ++set) {
      const auto [fits, misses] = bounds[set];
      if (misses - fits <= 1) continue;
      std::set<std::int64_t> lengths;
      if (step == 0)
        lengths = {std::min(ways, size(sets[set])), std::min(ways + 1, size(sets[set]))};
      else
        lengths = {(fits + misses) / 2};
      for (const std::int64_t length : lengths) {
        walks.push_back({{sets[set].begin(), sets[set].begin() + length}, step == 0 && length > ways});
        asked.emplace_back(set, length);
      }
    }
    if (asked.empty()) break;
    const auto answers = overflows(execute, subject, line_bytes, walks);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      auto& bound = bounds[asked[i].first];
      if (answers[i])
        bound.misses = std::min(bound.misses, asked[i].second);
      else
        bound.fits = std::max(bound.fits, asked[i].second);
    }
  }
  std::vector<std::int64_t> counted;
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const auto [fits, misses] = bounds[set];
    if (misses != fits + 1 || misses > size(sets[set])) return std::nullopt;
    counted.push_back(fits);
  }
  return counted;
}

}  // namespace

std::vector<std::vector<std::int64_t>> lines_by_set(const Sets& sets, std::int64_t line_bytes, std::int64_t region) {
  std::vector<Lines> lines(count_of(sets));
  for (std::int64_t line = 0; line < region / line_bytes; ++line) lines[set_of(sets, line, line_bytes)].push_back(line);
  return lines;
}

std::int64_t Sets::lines() const { return std::accumulate(set_ways.begin(), set_ways.end(), std::int64_t{0}); }

bool Sets::equal() const { return std::ranges::adjacent_find(set_ways, std::not_equal_to<>{}) == set_ways.end(); }

std::optional<Sets> recover_sets(const Executor& execute, const Subject& subject, const SetSearch& search,
                                 std::span<const ConflictGroup> groups) {
  if (std::ranges::all_of(groups, [](const ConflictGroup& group) { return group.lines.size() < 2; }))
    return std::nullopt;
  const auto varied =
      static_cast<std::uint64_t>(subject.region() - 1) & ~static_cast<std::uint64_t>(search.line_bytes - 1);
  Sets sets = index_of(groups, search.line_bytes, varied);
  constexpr std::size_t most_sets = 4096;
  if (count_of(sets) > most_sets) return std::nullopt;
  std::map<std::int64_t, int> sizes;
  for (const ConflictGroup& group : groups) ++sizes[group.ways()];
  const auto common = std::ranges::max_element(sizes, {}, [](const auto& entry) { return entry.second; })->first;
  auto counted =
      count_ways(execute, subject, search.line_bytes, lines_by_set(sets, search.line_bytes, subject.region()), common);
  if (!counted) return std::nullopt;
  sets.set_ways = std::move(*counted);
  if (!fits_groups(sets, groups, search.line_bytes)) return std::nullopt;
  return sets;
}

std::vector<analysis::Retention> random_placement(const Executor& execute, const Subject& subject,
                                                  const SetSearch& search, std::int64_t samples) {
  // The region is much larger than the cache where it can be, so that a line tells nothing about the set of another.
  const std::int64_t region = std::min(std::max(64 * search.capacity_lines, page_bytes / search.line_bytes),
                                       subject.largest / search.line_bytes);
  // Several draws of places, since one draw has a spread of its own: relative to a small cache.
  constexpr std::int64_t large = 16384;
  const int draws = search.capacity_lines < large ? 4 : 1;
  std::vector<Footprint> footprints;
  std::uint64_t seed = 1;
  for (const double factor : {0.7, 0.85, 1.0, 1.2, 1.5, 2.0}) {
    const auto lines = static_cast<std::int64_t>(factor * static_cast<double>(search.capacity_lines));
    if (lines > region) continue;
    for (int draw = 0; draw < draws; ++draw, ++seed) {
      footprints.push_back({.ring = ring_over(random_choice(region, lines, seed), search.line_bytes),
                            .bytes = region * search.line_bytes,
                            .passes = 4,
                            .samples = samples,
                            .seed = seed});
    }
  }
  std::vector<analysis::Retention> observations;
  const auto all = retained(execute, subject, footprints);
  for (const Retained& seen : all) {
    observations.push_back({static_cast<std::size_t>(seen.nodes), static_cast<std::size_t>(seen.sampled),
                            static_cast<std::size_t>(seen.hits)});
  }
  return observations;
}

}  // namespace tomograph::cache
