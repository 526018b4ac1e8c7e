#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "analysis_sets.hpp"
#include "overflowing_walks.hpp"
#include "tomograph/cache/sets.hpp"

namespace tomograph::cache {

namespace {

using Lines = std::vector<std::int64_t>;

std::int64_t count_of(const Lines& lines) { return static_cast<std::int64_t>(lines.size()); }

/// For each set the number of its lines that fit: by bisection over all sets at once, first guess `ways`.
std::optional<std::vector<std::int64_t>> count_ways(const Executor& execute, const Subject& subject,
                                                    std::int64_t line_bytes, const std::vector<Lines>& sets,
                                                    std::int64_t ways) {
  struct Bounds {
    std::int64_t fits = 0;
    std::int64_t misses = 0;
  };
  std::vector<Bounds> bounds;
  for (const Lines& lines : sets) bounds.push_back({0, count_of(lines) + 1});
  for (int step = 0; step < 64; ++step) {
    std::vector<Walk> walks;
    std::vector<std::pair<std::size_t, std::int64_t>> asked;
    for (std::size_t set = 0; set < sets.size(); ++set) {
      const auto [fits, misses] = bounds[set];
      if (misses - fits <= 1) continue;
      std::set<std::int64_t> lengths;
      if (step == 0)
        lengths = {std::min(ways, count_of(sets[set])), std::min(ways + 1, count_of(sets[set]))};
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
    if (misses != fits + 1 || misses > count_of(sets[set])) return std::nullopt;
    counted.push_back(fits);
  }
  return counted;
}

}  // namespace

std::optional<Sets> recover_sets(const Executor& execute, const Subject& subject, const SetSearch& search,
                                 std::span<const ConflictGroup> groups) {
  if (std::ranges::all_of(groups, [](const ConflictGroup& group) { return group.lines.size() < 2; }))
    return std::nullopt;
  const std::uint64_t varied = subject.indexed_bits() & ~static_cast<std::uint64_t>(search.line_bytes - 1);
  Sets sets = index_of(groups, search.line_bytes, varied);
  constexpr std::size_t most_sets = 4096;  // their ways take 8192 programs at first
  if (count_of(sets) > most_sets) return std::nullopt;
  std::map<std::int64_t, int> sizes;
  for (const ConflictGroup& group : groups) ++sizes[group.ways()];
  const auto common = std::ranges::max_element(sizes, {}, [](const auto& entry) { return entry.second; })->first;
  auto counted = count_ways(execute, subject, search.line_bytes,
                            lines_by_set(sets, search.line_bytes, subject.indexed_region()), common);
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
