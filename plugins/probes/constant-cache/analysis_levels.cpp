#include "analysis_levels.hpp"

#include <algorithm>
#include <cmath>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::constant_cache {

namespace {

/// The loads that are slower than `slowest_hit`.
std::vector<double> slower(std::span<const double> latencies, double slowest_hit) {
  std::vector<double> found;
  std::ranges::copy_if(latencies, std::back_inserter(found), [&](double one) { return one > slowest_hit; });
  return found;
}

/// Of loads that hit, at most 5 % are slower than this quantile, so that 30 % of the hundreds of loads of a footprint
/// never are by chance. Where one in 20 is delayed, a higher one would lie beyond what the second level takes.
constexpr double nearly_all = 0.95;
constexpr double least_share = 0.3;
/// What slices of L2, or a hit's own variation, may add to a latency, as a share of it. Chosen by hand.
constexpr double jitter = 0.1;

double mean(std::span<const double> latencies) { return analysis::trimmed_mean(latencies, mean_trimmed); }

/// The smallest footprint of which 30 % of the loads miss, with these loads.
void find_misses(Levels& levels, const Spectrum& spectrum) {
  const double slowest_hit = analysis::quantile(spectrum.hits, nearly_all);
  for (const Step& step : spectrum.steps) {
    auto missing = slower(step.latencies, slowest_hit + jitter * analysis::median(spectrum.hits));
    if (static_cast<double>(missing.size()) < least_share * static_cast<double>(step.latencies.size())) continue;
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
    if (cut && analysis::median(one.latencies) > (1 + jitter) * analysis::median(first_misses)) found.push_back(one);
  }
  // A neighbour of a far partition leaves some lines near and others far, which its median does not show.
  std::ranges::sort(found, {}, [](const Neighbour& one) { return analysis::trimmed_mean(one.latencies, 0); });
  return found;
}

/// The latency of each line after the nearest third of those neighbours: the median. After a neighbour of the far
/// partition some lines are far; which ones depends on where the constants lie. A mixture of near and far would be the
/// latency of neither.
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

/// Whether near and far partitions of L2 explain the difference: no more than a share of `most` is slower, by the
/// distance of the far partition.
enum class Partitions { no, yes, unknown };
Partitions explained_by_partitions(double share, double most, double extra, std::optional<double> far_distance) {
  // Of a median of differences. Chosen by hand.
  constexpr double relative = 0.2;
  constexpr double absolute = 5;
  // Several partitions that soon replace their copies leave lines far after every neighbour.
  if (!far_distance) return Partitions::unknown;
  if (share > most) return Partitions::no;
  return std::abs(extra - *far_distance) < relative * *far_distance + absolute ? Partitions::yes : Partitions::no;
}

void compare_with_neighbours(Levels& levels, const Spectrum& spectrum, std::optional<double> far_distance) {
  const auto others = slower_neighbours(spectrum, levels.first_misses);
  levels.from_l2 = levels.first_misses;
  if (others.empty()) return;
  const auto lines = by_line(others);
  const double share = static_cast<double>(others.size()) / static_cast<double>(spectrum.neighbours.size());
  const double extra = analysis::median(lines) - analysis::median(levels.first_misses);
  // If half of all SMs are far, more than three quarters of 16 neighbours are in 1 % of all choices.
  constexpr double most = 0.75;
  const Partitions partitions = explained_by_partitions(share, most, extra, far_distance);
  if (partitions == Partitions::yes) return;
  levels.from_l2 = lines;
  levels.source = FromL2::after_neighbours;
  if (partitions == Partitions::no) levels.second = analysis::threshold_between(levels.first_misses, lines);
  if (partitions == Partitions::unknown) levels.ambiguity = Ambiguity::partitions;
}

/// Misses of a second level that the large footprint overflows, if it looks like that.
struct Overflow {
  std::vector<double> beyond;
  analysis::Threshold cut;
  Partitions partitions = Partitions::unknown;  ///< whether they explain the latencies as well
};

std::optional<Overflow> overflow(std::span<const double> small, std::span<const double> large,
                                 std::optional<double> far_distance) {
  auto beyond = slower(large, analysis::quantile(small, nearly_all) + jitter * analysis::median(small));
  const double share = static_cast<double>(beyond.size()) / static_cast<double>(large.size());
  if (share < least_share) return std::nullopt;
  const auto cut = analysis::threshold_between(small, beyond);
  if (!cut) return std::nullopt;
  // The small footprint may lie in the near partition alone. Of four partitions, three quarters are far.
  constexpr double most = 0.9;
  const double extra = analysis::median(beyond) - analysis::median(small);
  return Overflow{std::move(beyond), *cut, explained_by_partitions(share, most, extra, far_distance)};
}

void accept(Levels& levels, Overflow seen) {
  levels.second = seen.cut;
  levels.from_l2 = std::move(seen.beyond);
  levels.source = FromL2::large_footprint;
  levels.ambiguity = Ambiguity::none;
}

/// A second level is certain. Its misses are those after slower neighbours, or of the large footprint.
void find_second_misses(Levels& levels, std::optional<Overflow> seen) {
  if (levels.ambiguity == Ambiguity::partitions) {
    levels.second = analysis::threshold_between(levels.first_misses, levels.from_l2);
    levels.ambiguity = levels.second ? Ambiguity::none : Ambiguity::partitions;
  } else if (seen) {
    accept(levels, std::move(*seen));
  } else {
    levels.ambiguity = Ambiguity::second_holds_all;
    levels.from_l2.clear();
  }
}

/// Any load that L2 serves crosses the GPU to it and back, on whatever path. So misses that are faster than L2's
/// fastest loads of global memory, even without the cycles of a hit before it, are not served by L2.
void compare_with_reference(Levels& levels, const Reference& seen, double hit, std::optional<double> far_distance) {
  const auto small = slower(seen.small, levels.first->cycles);
  const auto large = slower(seen.large, levels.first->cycles);
  if (small.empty() || large.empty()) return;
  constexpr double fastest = 0.05;  // quantile: slices lie at different distances
  const double l2 = analysis::quantile(seen.l2, fastest);
  const double miss = analysis::median(small);
  auto beyond = overflow(small, large, far_distance);
  if (miss < l2 - hit) return find_second_misses(levels, std::move(beyond));
  if (beyond && beyond->partitions == Partitions::no) return accept(levels, std::move(*beyond));
  if (miss >= l2) {
    levels.from_l2 = levels.first_misses;
    levels.source = FromL2::first_misses;
    levels.ambiguity = Ambiguity::none;
  } else if (levels.ambiguity == Ambiguity::none) {
    levels.from_l2.clear();
    levels.ambiguity = Ambiguity::near_l2;
  }
}

}  // namespace

std::vector<double> all_of(std::span<const Neighbour> neighbours) {
  std::vector<double> all;
  for (const Neighbour& one : neighbours) all.insert(all.end(), one.latencies.begin(), one.latencies.end());
  return all;
}

Levels find_levels(const Spectrum& spectrum, std::optional<double> far_distance, std::optional<double> near_l2) {
  Levels levels;
  const auto first_loads = all_of(spectrum.neighbours);
  const bool alone = first_loads.empty();  // a GPU of one SM
  if (!alone && !analysis::threshold_between(spectrum.hits, first_loads)) return levels;
  const auto is_as_slow_as_l2 = [&](const std::vector<double>& loads) {
    return near_l2 && analysis::median(loads) > (1 - jitter) * *near_l2;
  };
  if (is_as_slow_as_l2(spectrum.hits)) return levels;  // of an L2 so small that it loses lines
  find_misses(levels, spectrum);
  if (levels.first_misses.empty()) {
    levels.first = analysis::threshold_between(spectrum.hits, first_loads);
    levels.from_l2 = first_loads;
    levels.source = FromL2::after_neighbours;
    levels.ambiguity = Ambiguity::first_holds_all;
    return levels;
  }
  levels.first = analysis::threshold_between(spectrum.hits, levels.first_misses);
  levels.as_slow_as_l2 = is_as_slow_as_l2(levels.first_misses);
  if (levels.as_slow_as_l2) {
    levels.from_l2 = levels.first_misses;
    return levels;
  }
  compare_with_neighbours(levels, spectrum, far_distance);
  if (levels.second || !levels.first || !spectrum.reference) return levels;
  compare_with_reference(levels, *spectrum.reference, analysis::median(spectrum.hits), far_distance);
  return levels;
}

std::vector<double> served_by_l2(const Levels& levels, std::span<const Neighbour> loads) {
  const double slowest_hit = levels.second ? levels.second->cycles : levels.first->cycles;
  std::vector<double> nearest;
  for (const Neighbour& one : loads) {
    auto missing = slower(one.latencies, slowest_hit);
    // A neighbour that shares a cache leaves few lines to L2.
    if (levels.source == FromL2::after_neighbours && 2 * missing.size() < one.latencies.size()) continue;
    if (missing.empty()) continue;
    if (nearest.empty() || mean(missing) < mean(nearest)) nearest = std::move(missing);
  }
  return nearest;
}

SecondHits hits_of_second(const Levels& levels, std::span<const Neighbour> loads) {
  SecondHits seen{.sms = {0}, .by_sm = {mean(levels.first_misses)}, .all = levels.first_misses};
  for (const Neighbour& one : loads) {
    std::vector<double> hits;
    std::ranges::copy_if(one.latencies, std::back_inserter(hits), [&](double cycles) {
      return cycles > levels.first->cycles && cycles <= levels.second->cycles;
    });
    if (hits.empty()) continue;
    seen.sms.push_back(one.sm);
    seen.by_sm.push_back(mean(hits));
    seen.all.insert(seen.all.end(), hits.begin(), hits.end());
  }
  return seen;
}

}  // namespace tomograph::constant_cache
