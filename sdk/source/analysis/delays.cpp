#include "tomograph/analysis/delays.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace tomograph::analysis {

namespace {

struct Mean {
  double value = 0;
  double error = 0;
};

Mean mean_of(std::span<const double> sample) {
  const auto count = static_cast<double>(sample.size());
  const double mean = std::accumulate(sample.begin(), sample.end(), 0.0) / count;
  if (sample.size() < 2) return {mean, 0};
  double squares = 0;
  for (const double one : sample) squares += (one - mean) * (one - mean);
  return {mean, std::sqrt(squares / (count - 1) / count)};
}

/// The upper end of each distance: half-way to the next.
std::vector<double> cuts_between(const std::vector<Mode>& modes) {
  std::vector<double> cuts;
  for (std::size_t i = 1; i < modes.size(); ++i) cuts.push_back((modes[i - 1].high + modes[i].low) / 2);
  cuts.push_back(std::numeric_limits<double>::infinity());
  return cuts;
}

Distance undelayed(std::span<const double> members, double jitter, std::vector<double>& late) {
  constexpr double fence = 4;  // quartile distances: 2.7 standard deviations of a normal, 1 in 290 beyond it
  const double middle = median(members);
  Distance distance;
  const double reach = std::max(fence * (middle - quantile(members, 0.25)), jitter);
  distance.first = middle - reach;
  distance.last = middle + reach;
  for (const double cycles : members) (cycles <= distance.last ? distance.loads : late).push_back(cycles);
  const Mean mean = mean_of(distance.loads);
  distance.mean = mean.value;
  distance.error = mean.error;
  return distance;
}

Delays at_resolution(std::span<const double> sample, const ModeResolution& resolution) {
  const std::vector<double> cuts = cuts_between(modes(sample, resolution));
  std::vector<std::vector<double>> members(cuts.size());
  for (const double cycles : sample) {
    members[static_cast<std::size_t>(std::ranges::lower_bound(cuts, cycles) - cuts.begin())].push_back(cycles);
  }
  Delays found;
  std::vector<double> in_time;
  for (const auto& group : members) {
    if (group.empty()) continue;
    found.distances.push_back(undelayed(group, resolution.absolute, found.late));
    const auto& loads = found.distances.back().loads;
    in_time.insert(in_time.end(), loads.begin(), loads.end());
  }
  const Mean mean = mean_of(in_time);
  found.mean = mean.value;
  found.error = mean.error;
  return found;
}

Delays all_in_time(std::span<const double> sample) {
  const Mean mean = mean_of(sample);
  return {.distances = {{.mean = mean.value,
                         .error = mean.error,
                         .first = std::ranges::min(sample),
                         .last = std::ranges::max(sample),
                         .loads = {sample.begin(), sample.end()}}},
          .mean = mean.value,
          .error = mean.error,
          .late = {}};
}

}  // namespace

double Delays::late_share() const {
  std::size_t loads = late.size();
  for (const Distance& distance : distances) loads += distance.loads.size();
  return loads == 0 ? 0 : static_cast<double>(late.size()) / static_cast<double>(loads);
}

Delays delays(std::span<const double> sample, const ModeResolution& resolution) {
  if (sample.empty()) throw std::invalid_argument("an empty sample has no latency");
  // DRAM refreshes for less than a tenth of the time, so a larger share is a cluster that was taken for a tail.
  constexpr double most_late = 0.25;
  constexpr int finest = 8;
  ModeResolution finer = resolution;
  for (int times = 1; times <= finest; times *= 2) {
    Delays found = at_resolution(sample, finer);
    if (found.late_share() <= most_late) return found;
    finer.absolute /= 2;
    finer.relative /= 2;
  }
  return all_in_time(sample);
}

}  // namespace tomograph::analysis
