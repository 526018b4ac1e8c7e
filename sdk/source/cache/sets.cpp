#include "tomograph/cache/sets.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "overflowing_walks.hpp"

namespace tomograph::cache {

namespace {

using Lines = std::vector<std::int64_t>;

std::int64_t size(const Lines& lines) { return static_cast<std::int64_t>(lines.size()); }

/// Byte-offset differences of lines that share a set, by the groups' first lines.
std::vector<std::uint64_t> differences_of(std::span<const ConflictGroup> groups, std::int64_t line_bytes) {
  std::vector<std::uint64_t> differences;
  for (const ConflictGroup& group : groups) {
    for (std::size_t i = 1; i < group.lines.size(); ++i) {
      differences.push_back(static_cast<std::uint64_t>((group.lines[i] * line_bytes) ^ (group.lines[0] * line_bytes)));
    }
  }
  return differences;
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

std::vector<std::vector<std::int64_t>> lines_by_set(const analysis::LinearIndex& index, std::int64_t line_bytes,
                                                    std::int64_t region) {
  std::vector<Lines> sets(std::size_t{1} << index.bits());
  for (std::int64_t line = 0; line < region / line_bytes; ++line) {
    std::size_t set = 0;
    for (std::size_t bit = 0; bit < index.masks.size(); ++bit) {
      const auto parity =
          static_cast<unsigned>(__builtin_parityll(index.masks[bit] & static_cast<std::uint64_t>(line * line_bytes)));
      set |= static_cast<std::size_t>(parity) << (index.masks.size() - 1 - bit);
    }
    sets[set].push_back(line);
  }
  return sets;
}

std::int64_t Sets::lines() const { return std::accumulate(set_ways.begin(), set_ways.end(), std::int64_t{0}); }

bool Sets::equal() const { return std::ranges::adjacent_find(set_ways, std::not_equal_to<>{}) == set_ways.end(); }

std::optional<Sets> recover_sets(const Executor& execute, const Subject& subject, const SetSearch& search,
                                 std::span<const ConflictGroup> groups) {
  const auto differences = differences_of(groups, search.line_bytes);
  if (differences.empty()) return std::nullopt;
  const auto varied =
      static_cast<std::uint64_t>(subject.region() - 1) & ~static_cast<std::uint64_t>(search.line_bytes - 1);
  Sets sets{.index = analysis::recover_index(differences, varied), .set_ways = {}, .differences = differences.size()};
  const auto bits = sets.index.bits();
  while (sets.confirming < differences.size()) {
    const auto fewer = std::span(differences).first(differences.size() - sets.confirming - 1);
    if (fewer.empty() || analysis::recover_index(fewer, varied).bits() != bits) break;
    ++sets.confirming;
  }
  constexpr std::size_t most_index_bits = 12;
  if (bits > most_index_bits) return std::nullopt;
  std::map<std::int64_t, int> sizes;
  for (const ConflictGroup& group : groups) ++sizes[group.ways()];
  const auto common = std::ranges::max_element(sizes, {}, [](const auto& entry) { return entry.second; })->first;
  auto counted = count_ways(execute, subject, search.line_bytes,
                            lines_by_set(sets.index, search.line_bytes, subject.region()), common);
  if (!counted) return std::nullopt;
  sets.set_ways = std::move(*counted);
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
