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

std::vector<double> all_of(std::span<const Neighbour> neighbours) {
  std::vector<double> all;
  for (const Neighbour& one : neighbours) all.insert(all.end(), one.latencies.begin(), one.latencies.end());
  return all;
}

/// The smallest footprint of which 30 % of the loads miss, with these loads. Of loads that hit, at most 1 % are slower
/// than the limit, so that 30 % of the hundreds of loads of a footprint never are by chance.
void find_misses(Levels& levels, const Spectrum& spectrum) {
  constexpr double least_share = 0.3;
  constexpr double nearly_all = 0.99;
  constexpr double jitter = 0.1;  // of a hit's latency; chosen
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
    if (cut && analysis::median(one.latencies) > analysis::median(first_misses)) found.push_back(one);
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

/// Whether near and far partitions of L2 explain the difference: about half of the SMs are slower, by the distance of
/// the far partition.
enum class Partitions { no, yes, unknown };
Partitions explained_by_partitions(double share, double extra, std::optional<double> far_distance) {
  // If half of all SMs are far, more than three quarters of 16 neighbours are in 1 % of all choices.
  constexpr double most = 0.75;
  // Tolerances chosen by hand; no error rate is known for them.
  constexpr double relative = 0.2;
  constexpr double absolute = 5;
  if (share > most) return Partitions::no;
  if (!far_distance) return Partitions::unknown;
  return std::abs(extra - *far_distance) < relative * *far_distance + absolute ? Partitions::yes : Partitions::no;
}

}  // namespace

Levels find_levels(const Spectrum& spectrum, std::optional<double> far_distance) {
  Levels levels;
  const auto first_loads = all_of(spectrum.neighbours);
  if (!analysis::threshold_between(spectrum.hits, first_loads)) return levels;
  find_misses(levels, spectrum);
  if (levels.first_misses.empty()) {
    levels.first = analysis::threshold_between(spectrum.hits, first_loads);
    levels.from_l2 = first_loads;
    levels.open = true;
    return levels;
  }
  levels.first = analysis::threshold_between(spectrum.hits, levels.first_misses);
  const auto others = slower_neighbours(spectrum, levels.first_misses);
  if (others.empty()) {
    levels.from_l2 = levels.first_misses;
    return levels;
  }
  levels.from_l2 = by_line(others);
  const double share = static_cast<double>(others.size()) / static_cast<double>(spectrum.neighbours.size());
  const double extra = analysis::median(levels.from_l2) - analysis::median(levels.first_misses);
  switch (explained_by_partitions(share, extra, far_distance)) {
    case Partitions::no: levels.second = analysis::threshold_between(levels.first_misses, levels.from_l2); break;
    case Partitions::yes: levels.from_l2 = levels.first_misses; break;
    case Partitions::unknown: levels.open = true; break;
  }
  return levels;
}

SecondHits hits_of_second(const Levels& levels, std::span<const Neighbour> loads) {
  SecondHits seen{.sms = {}, .by_sm = {}, .all = levels.first_misses};
  for (const Neighbour& one : loads) {
    std::vector<double> hits;
    std::ranges::copy_if(one.latencies, std::back_inserter(hits), [&](double cycles) {
      return cycles > levels.first->cycles && cycles <= levels.second->cycles;
    });
    if (hits.empty()) continue;
    seen.sms.push_back(one.sm);
    seen.by_sm.push_back(analysis::median(hits));
    seen.all.insert(seen.all.end(), hits.begin(), hits.end());
  }
  return seen;
}

}  // namespace tomograph::constant_cache
