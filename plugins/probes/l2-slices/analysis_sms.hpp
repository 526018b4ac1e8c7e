#ifndef TOMOGRAPH_L2_SLICES_ANALYSIS_SMS_HPP
#define TOMOGRAPH_L2_SLICES_ANALYSIS_SMS_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "analysis_clusters.hpp"

/// Groups of SMs, from their latencies to all slices.
namespace tomograph::l2_slices {

/// How the latencies of two SMs of a group differ.
enum class Difference : std::uint8_t {
  none,     ///< not at all: the SMs lie at the same place of the network
  constant  ///< by as many cycles for each slice: the SMs reach the network at the same place
};

/// Groups of SMs, or the reason why there are none.
struct SmGroups {
  std::vector<std::vector<std::int64_t>> groups = {};  ///< numbers of SMs, ascending; SMs without others are groups too
  std::string reason = {};
  /// Expected number of pairs of groups that chance makes one: few slices hardly tell many groups apart.
  double chance = 0;
};

/// The groups of SMs that latencies to `clusters` form. The squared difference of two SMs of a group, in units of the
/// noise, follows chi-squared with one degree of freedom for each cluster, less one if a constant was subtracted. Pairs
/// within the quantile that chance exceeds with `false_alarm` among all pairs are united. There are no groups if two
/// SMs of one then differ more than two of different groups. Groups whose halves differ by their means are split.
[[nodiscard]] SmGroups sm_groups(const Clusters& clusters, Difference difference);

}  // namespace tomograph::l2_slices

#endif
