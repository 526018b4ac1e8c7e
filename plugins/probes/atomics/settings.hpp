#ifndef TOMOGRAPH_ATOMICS_SETTINGS_HPP
#define TOMOGRAPH_ATOMICS_SETTINGS_HPP

#include <vector>

#include "experiments.hpp"

/// What is measured of an operation.
namespace tomograph::atomics {

/// Two of them may be disturbed. Of settings whose trials scatter by at most 1 % on an H100 and an H200, and of
/// latencies.
inline constexpr std::int64_t trials = 5;

/// Trials of a setting. Rates scatter from launch to launch, most where all lanes of a warp use the same word: by 3.5
/// %. There are so many trials that their mean scatters by less than 1 %, and five runs by less than 3 %.
[[nodiscard]] std::size_t trials_of(const ThroughputRequest& setting);

/// The settings in which the throughput of an operation is measured: atomics, then reductions.
[[nodiscard]] std::vector<ThroughputRequest> settings_of(Space space, std::size_t operation);

}  // namespace tomograph::atomics

#endif
