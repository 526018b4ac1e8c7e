#ifndef TOMOGRAPH_CACHE_SHARING_ANALYSIS_GROUPING_HPP
#define TOMOGRAPH_CACHE_SHARING_ANALYSIS_GROUPING_HPP

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis_effect.hpp"

/// Groups of members that share something, from comparisons of one member with many.
namespace tomograph::analysis {

/// Compares member `base` with each of `others`. Full: they share; absent: they do not.
using Compare = std::function<std::vector<EffectOdds>(std::int64_t base, std::span<const std::int64_t> others)>;

struct Grouping {
  std::vector<std::int64_t> of_member;  ///< group of each member, numbered by lowest member
  std::int64_t count = 0;
  double error = 0;       ///< bound on the probability that any comparison came out wrong
  std::string undecided;  ///< the first comparison without a clear result, or empty

  /// The members of each group.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> groups() const;
};

/// Two disjoint sets of members.
struct Split {
  std::vector<std::int64_t> ones;
  std::vector<std::int64_t> others;
};

/// Splits by each bit of the members' numbers, both ways: of any two members, one is on each side of one of them. So
/// few comparisons compare all pairs.
[[nodiscard]] std::vector<Split> splits(std::int64_t members);

/// Compares each of `others` with all of `ones` together. Full: it shares with one of them.
using CompareSplit = std::function<std::vector<EffectOdds>(const Split& split)>;

/// Groups of one member each, if none shares with another. Nothing if some do.
[[nodiscard]] std::optional<Grouping> all_alone(std::int64_t members, const CompareSplit& compare);

/// Compares the first member without a group with all others without one, until every member has a group: one round of
/// comparisons per group. A comparison is undecided if its error exceeds `largest_error`, or if it says partial. So a
/// decided comparison is wrong with a probability of at most `largest_error`.
[[nodiscard]] Grouping group(std::int64_t members, const Compare& compare, double largest_error = 0.01);

}  // namespace tomograph::analysis

#endif
