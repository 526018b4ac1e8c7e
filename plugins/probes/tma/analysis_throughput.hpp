#ifndef TOMOGRAPH_TMA_ANALYSIS_THROUGHPUT_HPP
#define TOMOGRAPH_TMA_ANALYSIS_THROUGHPUT_HPP

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "analysis_tiles.hpp"
#include "experiments.hpp"
#include "tomograph/fact.hpp"

/// From the rates of many copies to bandwidths. No device, no I/O.
namespace tomograph::tma {

/// B/s of all SMs.
[[nodiscard]] double bytes_per_second(const ThroughputAnswer& answer);

/// A configuration of one kind of copies, run once.
struct Candidate {
  std::size_t kind = 0;
  ThroughputRequest request;
  double value = 0;  ///< B/s
};

/// The `count` fastest candidates of each group, where `group(candidate)` names the group. Groups ascend; within a
/// group the fastest comes first.
template <typename Group>
std::vector<Candidate> fastest_of_each(std::span<const Candidate> candidates, std::size_t count, Group group) {
  std::vector<Candidate> sorted(candidates.begin(), candidates.end());
  std::ranges::sort(sorted, [&](const Candidate& a, const Candidate& b) {
    return std::tuple(group(a), -a.value) < std::tuple(group(b), -b.value);
  });
  std::vector<Candidate> chosen;
  std::size_t taken = 0;
  for (const Candidate& one : sorted) {
    const bool same = !chosen.empty() && group(chosen.back()) == group(one);
    taken = same ? taken + 1 : 1;
    if (taken <= count) chosen.push_back(one);
  }
  return chosen;
}

/// A configuration after repeated, longer runs.
struct Bandwidth {
  ThroughputRequest request;
  double value = 0;       ///< B/s, the median of the runs
  double dependable = 0;  ///< B/s that all runs reach but one, which something may have disturbed
  Interval interval{};
};
/// The interval reaches beyond the slowest and the fastest run by their range and by 1 %. For normally distributed runs
/// it misses the true mean in 0.1 % of simulations with five runs.
[[nodiscard]] Bandwidth summarize(const ThroughputRequest& request, const std::vector<double>& values);

/// Whether the repeated runs of a configuration move several times what L2 holds. Those of small tiles would take too
/// long, and L2 keeps most of what they store: on an H100 they seemed faster than its memory.
[[nodiscard]] inline bool is_long(const ThroughputRequest& request) { return request.tile >= 1024; }

/// The value of each bandwidth by its tile.
[[nodiscard]] std::vector<ByTile> by_tile(const std::vector<Bandwidth>& bandwidths);

/// The tile with which a number of CTAs on each SM reaches a bandwidth.
struct SaturatingTile {
  std::int64_t ctas = 0;
  double tile = 0;
  Interval interval{};
};
/// The tile with which each number of CTAs reaches `share` of `most`, for each entry of `curves`, bandwidths by CTAs on
/// an SM. The interval allows for an error of 2 % of either bandwidth. Numbers of CTAs whose tile or interval does not
/// lie between two measured tiles are left out.
[[nodiscard]] std::vector<SaturatingTile> saturating_by_ctas(const std::map<std::int64_t, std::vector<ByTile>>& curves,
                                                             double most, double share);

}  // namespace tomograph::tma

#endif
