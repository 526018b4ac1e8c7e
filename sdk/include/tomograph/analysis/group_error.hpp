#ifndef TOMOGRAPH_ANALYSIS_GROUP_ERROR_HPP
#define TOMOGRAPH_ANALYSIS_GROUP_ERROR_HPP

#include <cstddef>
#include <span>

namespace tomograph::analysis {

/// How far the mean of `values` may lie from the mean of all values that could have been drawn, if values of one group
/// were drawn together and may have their deviation in common. The error is that of a ratio of sums over groups
/// (Cochran 1977, section 9.3), times the quantile of Student's t that such a mean exceeds with a probability of 1 -
/// `probability`, to either side. Infinite if there are fewer than two groups, which tell nothing of others.
/// @throws std::invalid_argument if there are no values, or not as many groups as values.
[[nodiscard]] double reach_of_groups(std::span<const double> values, std::span<const std::size_t> groups,
                                     double probability);

}  // namespace tomograph::analysis

#endif
