#include "levels.hpp"

#include <algorithm>
#include <cmath>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::constant_cache {

namespace {

/// The loads that are surely slower than a hit.
std::vector<double> slower(std::span<const double> latencies, double slowest_hit) {
  std::vector<double> found;
  std::ranges::copy_if(latencies, std::back_inserter(found), [&](double one) { return one > slowest_hit; });
  return found;
}

std::vector<double> all_of(std::span<const Neighbour> neighbours) {
  std::vector<double> all;
  for (const Neighbour& one : neighbours) all.insert(all.end(), one.latencies.begin(), one.latencies.end());
  return all;
}

/// The smallest footprint of which a good part misses, with the loads that miss.
void find_misses(Levels& levels, const Spectrum& spectrum) {
  constexpr double good_part = 0.3;
  const double slowest_hit = analysis::quantile(spectrum.hits, 0.99);
  for (const Step& step : spectrum.steps) {
    // Slower than any hit by more than jitter.
    auto missing = slower(step.latencies, slowest_hit + 0.1 * analysis::median(spectrum.hits));
    if (static_cast<double>(missing.size()) < good_part * static_cast<double>(step.latencies.size())) continue;
    levels.beyond_first = step.bytes;
    levels.first_misses = std::move(missing);
    return;
  }
}

/// The neighbours after which loads are slower than misses of the first level, nearest ones first.
std::vector<Neighbour> slower_neighbours(const Spectrum& spectrum, std::span<const double> first_misses) {
  std::vector<Neighbour> found;
  for (const Neighbour& one : spectrum.neighbours) {
    const auto cut = analysis::threshold_between(first_misses, one.latencies);
    if (cut && analysis::median(one.latencies) > analysis::median(first_misses)) found.push_back(one);
  }
  // A neighbour of a far partition leaves some lines near and others far, which its median does not show.
  std::ranges::sort(found, {}, [](const Neighbour& one) { return analysis::trimmed_mean(one.latencies, 0); });
  return found;
}

/// Of each line what it takes after the nearest third of those neighbours: the median, since after a neighbour of the
/// far partition some lines are far, which lines depends on where the constants lie, and a mixture would be neither.
std::vector<double> by_line(std::span<const Neighbour> nearest_first) {
  const auto nearest = nearest_first.first((nearest_first.size() + 2) / 3);
  std::vector<double> lines;
  for (std::size_t line = 0; line < nearest.front().latencies.size(); ++line) {
    std::vector<double> seen;
    for (const Neighbour& one : nearest) seen.push_back(one.latencies[line]);
    lines.push_back(analysis::median(seen));
  }
  return lines;
}

/// Whether the far half of L2 would look the same: about half of the SMs are slower, by just what far lines take more.
enum class Partitions { no, yes, unknown };
Partitions explained_by_partitions(double share, double excess, std::optional<double> far_excess) {
  constexpr double most = 0.75;
  if (share > most) return Partitions::no;
  if (!far_excess) return Partitions::unknown;
  return std::abs(excess - *far_excess) < 0.2 * *far_excess + 5 ? Partitions::yes : Partitions::no;
}

}  // namespace

Levels find_levels(const Spectrum& spectrum, std::optional<double> far_excess) {
  Levels levels;
  const auto first_loads = all_of(spectrum.neighbours);
  if (!analysis::threshold_between(spectrum.hits, first_loads)) return levels;
  find_misses(levels, spectrum);
  if (levels.first_misses.empty()) {
    levels.first = analysis::threshold_between(spectrum.hits, first_loads);
    levels.behind = first_loads;
    levels.open = true;
    return levels;
  }
  levels.first = analysis::threshold_between(spectrum.hits, levels.first_misses);
  const auto others = slower_neighbours(spectrum, levels.first_misses);
  if (others.empty()) {
    levels.behind = levels.first_misses;
    return levels;
  }
  levels.behind = by_line(others);
  const double share = static_cast<double>(others.size()) / static_cast<double>(spectrum.neighbours.size());
  const double excess = analysis::median(levels.behind) - analysis::median(levels.first_misses);
  switch (explained_by_partitions(share, excess, far_excess)) {
    case Partitions::no: levels.second = analysis::threshold_between(levels.first_misses, levels.behind); break;
    case Partitions::yes: levels.behind = levels.first_misses; break;
    case Partitions::unknown: levels.open = true; break;
  }
  return levels;
}

}  // namespace tomograph::constant_cache
