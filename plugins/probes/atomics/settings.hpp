#ifndef TOMOGRAPH_ATOMICS_SETTINGS_HPP
#define TOMOGRAPH_ATOMICS_SETTINGS_HPP

#include <vector>

#include "experiments.hpp"

/// What is measured of an operation.
namespace tomograph::atomics {

/// Two of them may be disturbed.
inline constexpr std::int64_t trials = 5;
/// Of all SMs together, unless on a single word, whose rate differs by 3 % from launch to launch on an H100 and an
/// H200: the median of so many differs by 1 %.
inline constexpr std::int64_t trials_together = 9;

/// The settings in which the throughput of an operation is measured: atomics, then reductions.
[[nodiscard]] std::vector<ThroughputRequest> settings_of(Space space, std::size_t operation);

}  // namespace tomograph::atomics

#endif
