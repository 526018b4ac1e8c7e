#include "analysis.hpp"

#include <algorithm>
#include <stdexcept>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::dsmem {

std::int64_t largest_cluster(std::int64_t first_size, std::span<const ClustersAnswer> answers) {
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::int64_t size = first_size + static_cast<std::int64_t>(i);
    const auto& seen = answers[i].seen_size;
    const bool right = std::ranges::all_of(seen, [&](std::int64_t one) { return one == size; });
    if (answers[i].resident > 0 && !seen.empty() && right) largest = size;
  }
  return largest;
}

PairLatencies sort_pairs(std::int64_t size, std::span<const double> cycles) {
  const auto n = static_cast<std::size_t>(size);
  if (n == 0 || cycles.size() % (n * n) != 0) throw std::invalid_argument("a latency for each pair of a cluster");
  PairLatencies pairs;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    const std::size_t reader = i / n % n;
    const std::size_t target = i % n;
    if (reader == target) {
      pairs.own.push_back(cycles[i]);
      continue;
    }
    pairs.other.push_back(cycles[i]);
    if (reader + 1 == target || target + 1 == reader) pairs.neighbour.push_back(cycles[i]);
  }
  return pairs;
}

Seen summarize(std::span<const double> trials, double resolution) {
  // Launches place clusters differently: the interquartile mean scatters less than the median, and a late trial does
  // not move it.
  const double value = analysis::trimmed_mean(trials, 0.25);
  const auto [low, high] = std::ranges::minmax(trials);
  const double margin = high - low + resolution * value;
  return {value, {low - margin, high + margin}, trials.size()};
}

double bytes_per_cycle(const Runs& runs) {
  const double cycles = analysis::trimmed_mean(runs.extended.cycles, 0) - analysis::trimmed_mean(runs.brief.cycles, 0);
  if (!(cycles > 0)) return 0;
  return static_cast<double>((runs.long_passes - runs.short_passes) * runs.brief.pass_bytes) / cycles;
}

double bytes_per_second(const Runs& runs) {
  const double seconds = 1e-9 * (runs.extended.nanoseconds - runs.brief.nanoseconds);
  if (!(seconds > 0)) return 0;
  const auto bytes = static_cast<double>((runs.long_passes - runs.short_passes) * runs.brief.pass_bytes);
  return bytes * static_cast<double>(runs.brief.cycles.size()) / seconds;
}

}  // namespace tomograph::dsmem
