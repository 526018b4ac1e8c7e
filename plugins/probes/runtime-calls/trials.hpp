#ifndef TOMOGRAPH_RUNTIME_CALLS_TRIALS_HPP
#define TOMOGRAPH_RUNTIME_CALLS_TRIALS_HPP

#include <cstdint>

namespace tomograph::runtime_calls {

/// The 99.9 % interval of a median of so many trials leaves out two at either end.
inline constexpr std::int64_t trials = 21;
/// Starts of one kernel are tried more often, each three times between two others that take longer. The interval of the
/// fastest tenth's quantile covers it with a probability of 0.998 (1 - 0.9^63 = 0.999).
inline constexpr std::int64_t starts_of_a_trial = 3;

}  // namespace tomograph::runtime_calls

#endif
