#ifndef TOMOGRAPH_CACHE_SHARING_ANALYSIS_GROUPING_HPP
#define TOMOGRAPH_CACHE_SHARING_ANALYSIS_GROUPING_HPP

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "analysis_effect.hpp"

/// Groups of those who share something, from comparisons of one with many.
namespace tomograph::analysis {

/// Compares member `base` with each of `others`: full means that they share, absent that they do not.
using Compare = std::function<std::vector<EffectOdds>(std::int64_t base, std::span<const std::int64_t> others)>;

struct Grouping {
  std::vector<std::int64_t> of_member;  ///< group of each member, numbered by lowest member
  std::int64_t count = 0;
  double error = 0;       ///< bound on the probability that any comparison came out wrong
  std::string undecided;  ///< the first comparison that came out neither way, or nothing

  /// The members of each group.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> groups() const;
};

/// Takes the first member without a group, compares it with all others without one, and goes on until everybody has
/// a group: as many rounds of comparisons as there are groups. A comparison is undecided if its error is above
/// `largest_error`, or if it says partial.
[[nodiscard]] Grouping group(std::int64_t members, const Compare& compare, double largest_error = 0.01);

}  // namespace tomograph::analysis

#endif
