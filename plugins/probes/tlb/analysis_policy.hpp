#ifndef TOMOGRAPH_TLB_ANALYSIS_POLICY_HPP
#define TOMOGRAPH_TLB_ANALYSIS_POLICY_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis_levels.hpp"

/// Which entry a full set of a TLB replaces, from the extra latencies of visits to its pages. Pure functions.
namespace tomograph::tlb {

struct Policy {
  std::string name = {};  ///< "lru", "fifo", "random", "way-weighted", "not-lru", or empty
  double confidence = 0;
  std::string reason = {};         ///< why `name` is empty
  std::vector<double> trace = {};  ///< extra latency of each visit of the first group
};

/// Share of visits that missed, by their mean, which noise does not bias.
[[nodiscard]] double miss_share(const Level& level, std::span<const double> extra_latency);

/// Probability that a single visit is on the wrong side of the threshold.
[[nodiscard]] double misread_share(const Level& level);

/// Share of misses from which on every visit counts as one.
inline constexpr double all_miss = 0.9;

/// Visits that the level took to settle: half of them, if all later ones miss, else none. A level before whose victims
/// are random hides some of the warming visits.
[[nodiscard]] std::ptrdiff_t settling_visits(const Level& level, std::span<const double> extra_latency);

/// Whether visits with this share of misses overflow a set of `pages` less one: under any policy, they miss at least
/// once a pass.
[[nodiscard]] bool overflows(double miss_share, std::size_t pages);

/// Share of misses as `pages` take turns, and its standard error.
struct MissShare {
  std::int64_t pages = 0;
  double misses = 0;
  double error = 0;
};

/// The policy of a level of one set, from the shares of misses among two numbers of pages that are both far too many,
/// the smaller one first. Under LRU and FIFO all visits miss. The cost of a miss is known from plateaus that noise
/// shifts, so a share below 1 says nothing by itself; but it does if it is larger among more pages. The name is empty
/// if the shares do not decide.
[[nodiscard]] Policy policy_of(std::int64_t entries, const std::array<MissShare, 2>& shares);

/// The same from single visits to the pages of a full set that are a walk in turn: `pages` are those visited.
[[nodiscard]] Policy policy_of(const Level& level, std::span<const double> extra_latency,
                               std::span<const std::uint32_t> pages, std::size_t ways);

}  // namespace tomograph::tlb

#endif
