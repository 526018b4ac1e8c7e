#ifndef TOMOGRAPH_RUNTIME_CALLS_ANALYSIS_TRIALS_HPP
#define TOMOGRAPH_RUNTIME_CALLS_ANALYSIS_TRIALS_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "experiments.hpp"

/// What trials tell, a number for each. Pure functions. Times become seconds.
namespace tomograph::runtime_calls {

/// From the begin of a call until the host sees what the first kernel wrote: the median over the runs of each trial.
[[nodiscard]] std::vector<double> latencies(std::span<const StartsAnswer> trials);
/// Until the call returned.
[[nodiscard]] std::vector<double> calls(std::span<const StartsAnswer> trials);
/// From the host's sight of what the last kernel wrote until synchronising returned.
[[nodiscard]] std::vector<double> synchronisations(std::span<const StartsAnswer> trials);

/// From the start of a kernel to the start of the next one: what each of `more` kernels adds to the time between the
/// first word and the last, of trials of short and of long chains. @throws std::invalid_argument if their numbers
/// differ.
[[nodiscard]] std::vector<double> periods(std::span<const StartsAnswer> short_chains,
                                          std::span<const StartsAnswer> long_chains, std::int64_t more);

/// Bytes per second, if `bytes` more are moved by the second trial of each pair than by the first.
/// @throws std::invalid_argument if the numbers of trials differ.
[[nodiscard]] std::vector<double> rates(std::span<const MovesAnswer> few, std::span<const MovesAnswer> many,
                                        double bytes);

}  // namespace tomograph::runtime_calls

#endif
