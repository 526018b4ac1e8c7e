#ifndef TOMOGRAPH_THROUGHPUT_ACQUIRE_READS_HPP
#define TOMOGRAPH_THROUGHPUT_ACQUIRE_READS_HPP

#include <cstdint>
#include <vector>

#include "acquire_search.hpp"
#include "analysis_noc.hpp"

/// Reads from L2 by sets of SMs, while all others are idle.
namespace tomograph::throughput {

/// Repetitions of each shape. The better shape is then measured again, so that the choice favours no lucky run.
inline constexpr std::int64_t choice_repetitions = 2;

/// SMs with the loads that they issue.
struct Load {
  Sms sms;
  streaming::Program program;
};

/// Measures each of `loads` `count` times, in turn.
[[nodiscard]] std::vector<Rates> measure(const Execute& execute, const std::vector<Load>& loads,
                                         std::int64_t first_trial, std::int64_t count);

/// Each of `sets` with its better shape.
[[nodiscard]] std::vector<Load> choose(const Execute& execute, const std::vector<Sms>& sets, std::int64_t bytes_per_sm,
                                       const Bounds& bounds);

/// Measures all of `loads` as often as the one that scatters most demands.
[[nodiscard]] std::vector<Rates> measure_until_precise(const Execute& execute, const std::vector<Load>& loads);

}  // namespace tomograph::throughput

#endif
