#include "tomograph/cache/fill.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/cache/hit_and_miss.hpp"

namespace tomograph::cache {

namespace {

/// Blocks of neighbouring nodes, far enough apart to share no line. Downwards, since a level that prefetches what lies
/// behind a miss would show the size of that.
chase::Ring blocks(std::int64_t region, std::int64_t count, std::int64_t spacing, std::int64_t nodes_each,
                   std::int64_t seed) {
  constexpr std::int64_t block_bytes = 4096;  // as long as the longest walk: 256 nodes, 16 B apart
  chase::Ring ring{.array = 0};
  for (const std::int64_t block : random_choice(region / block_bytes, count, static_cast<std::uint64_t>(seed))) {
    for (std::int64_t i = nodes_each - 1; i >= 0; --i) ring.nodes.push_back(block * block_bytes + i * spacing);
  }
  return ring;
}

/// Distances between successive misses within each block.
void keep_distances(Fill& fill, const Subject& subject, const chase::Result& result, std::int64_t nodes_each,
                    std::int64_t spacing) {
  const auto& latency = result.traces.front().latency;
  std::int64_t last_miss = -1;
  for (std::size_t i = 0; i < latency.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i) % nodes_each;
    if (place == 0) last_miss = -1;
    if (is_hit(subject, result, latency[i])) {
      if (last_miss >= 0) {
        fill.hits_behind[(place - last_miss) * spacing].push_back(latency[i] - result.overhead_each);
      }
      continue;
    }
    if (last_miss >= 0) fill.distances.push_back((place - last_miss) * spacing);
    last_miss = place;
  }
}

std::optional<Fill> most_frequent(Fill fill) {
  std::map<std::int64_t, std::size_t> counts;
  for (const std::int64_t distance : fill.distances) ++counts[distance];
  if (counts.empty()) return std::nullopt;
  const auto best = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  fill.granularity = best->first;
  fill.agreeing = best->second;
  return fill;
}

}  // namespace

std::vector<std::int64_t> Fill::served_behind(double threshold) const {
  // Deciles need about ten loads of a place; late loads are rarer than one in ten.
  constexpr std::size_t enough = 8;
  constexpr double few = 0.1;
  // The threshold lies midway between hits and misses, so that this is an eighth of what a miss costs.
  constexpr double apart = 0.25;
  std::map<std::int64_t, double> medians;
  for (const auto& [bytes, cycles] : hits_behind) {
    if (bytes < granularity && cycles.size() >= enough) medians[bytes] = analysis::median(cycles);
  }
  if (medians.empty()) return {};
  const auto median_of = [](const auto& place) { return place.second; };
  const auto fastest = std::ranges::min_element(medians, {}, median_of);
  const double hit = fastest->second;
  // Slices are near and far at every place, so that nearly all loads of a place are slower only if they are no hits.
  const double slowest_hits = analysis::quantile(hits_behind.at(fastest->first), 1 - few);
  std::vector<std::int64_t> places;
  for (const auto& [bytes, median] : medians) {
    const bool is_apart = median > hit + apart * (threshold - hit);
    if (is_apart && analysis::quantile(hits_behind.at(bytes), few) > slowest_hits) places.push_back(bytes);
  }
  return places;
}

std::optional<Fill> private_fill(const Executor& execute, const Subject& subject, chase::Path beyond) {
  // Paths that need slots of their own to bring lines take every other slot.
  const std::int64_t spacing = chase::is_global(subject.path) ? chase::node_bytes : 2 * chase::node_bytes;
  std::vector<chase::Program> programs;
  // 63 distances of 32 B in each trial, or one of 1 KiB.
  for (std::int64_t trial = 0; trial < 16; ++trial) {
    chase::Program program = program_for(subject, page_bytes);
    program.trial = trial;
    program.actors.push_back({subject.sm, beyond, 1});
    add_ring(program, blocks(page_bytes, 1, spacing, timed_loads, trial));
    const std::int64_t bringing = add_bringing_ring(program, subject, program.rings.front());
    program.phases = {{1, bringing, 0, 2 * timed_loads, chase::Timing::untimed},
                      {0, 0, 0, timed_loads, chase::Timing::each}};
    programs.push_back(std::move(program));
  }
  Fill fill;
  for (const auto& result : execute(programs)) keep_distances(fill, subject, result, timed_loads, spacing);
  return most_frequent(std::move(fill));
}

std::optional<Fill> cold_fill(const Executor& execute, const Subject& subject) {
  // Of levels in a row the last ones fetch most: with twice the spacing, up to 2 KiB.
  constexpr std::int64_t spacing = 2 * chase::node_bytes;
  std::vector<chase::Program> programs;
  for (std::int64_t trial = 0; trial < 16; ++trial) {
    chase::Program program = program_for(subject, subject.region());
    program.trial = trial;
    add_ring(program, blocks(subject.region(), 1, spacing, timed_loads, trial));
    program.phases = {{0, 0, 0, timed_loads, chase::Timing::each}};
    programs.push_back(std::move(program));
  }
  Fill fill;
  for (const auto& result : execute(programs)) keep_distances(fill, subject, result, timed_loads, spacing);
  return most_frequent(std::move(fill));
}

std::optional<Fill> shared_fill(const Executor& execute, const Subject& subject, std::int64_t flush_bytes) {
  // A block of 1 KiB shows fetches of up to 512 B. Of those, eight blocks in two trials have one distance each.
  constexpr std::int64_t spacing = 16;
  constexpr std::int64_t nodes_each = 64;
  constexpr std::int64_t block_count = 4;
  std::vector<chase::Program> programs;
  for (std::int64_t trial = 0; trial < 2; ++trial) {
    chase::Program program = program_for(subject, page_bytes);
    program.trial = trial;
    chase::Ring ring = blocks(page_bytes, block_count, spacing, nodes_each, trial);
    std::ranges::sort(ring.nodes, std::greater<>{});
    add_ring(program, std::move(ring));
    add_flush(program, subject, flush_bytes);
    program.phases.push_back({0, 0, 0, block_count * nodes_each, chase::Timing::each});
    programs.push_back(std::move(program));
  }
  Fill fill;
  for (const auto& result : execute(programs)) keep_distances(fill, subject, result, nodes_each, spacing);
  return most_frequent(std::move(fill));
}

}  // namespace tomograph::cache
