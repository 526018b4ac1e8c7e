#ifndef TOMOGRAPH_DSMEM_ANALYSIS_THROUGHPUT_HPP
#define TOMOGRAPH_DSMEM_ANALYSIS_THROUGHPUT_HPP

#include <array>
#include <cstdint>
#include <span>

#include "analysis_trials.hpp"
#include "experiments.hpp"

namespace tomograph::dsmem {

/// The partners whose memory is accessed, in the order of the rows of dsmem.bandwidth_by_pattern.
inline constexpr std::array measured_partners{Partner::other_half, Partner::next, Partner::spread, Partner::first};

/// Two runs of the same accesses, a shorter and a longer one.
struct Runs {
  std::int64_t short_passes = 0;
  std::int64_t long_passes = 0;
  ThroughputAnswer brief;
  ThroughputAnswer extended;
};
/// Bytes per cycle of an SM that accesses others, from the difference of the two runs, which fixed costs of a kernel do
/// not change. The SMs of a pattern may get unequal rates, among which a median is arbitrary: the mean time counts.
/// 0 if the longer run took no longer.
[[nodiscard]] double bytes_per_cycle(const Runs& runs);
/// Bytes per second of all SMs, from the same difference. 0 if the longer run took no longer.
[[nodiscard]] double bytes_per_second(const Runs& runs);

/// The throughput of one access pattern.
struct Measurement {
  ThroughputRequest request;
  Estimate per_sm;  ///< B/cycle of an SM that accesses others
  Estimate total;   ///< B/s of all SMs
};
/// The measurement with the highest `value` among those of `operation` through `space`. There must be one.
[[nodiscard]] const Measurement& best(std::span<const Measurement> all, Operation operation, Space space,
                                      Estimate Measurement::*value);
/// The measurement with the highest rate of an SM that loads while it serves other SMs. There must be one.
[[nodiscard]] const Measurement& best_exchange(std::span<const Measurement> all);

}  // namespace tomograph::dsmem

#endif
