#ifndef TOMOGRAPH_RUNTIME_CALLS_TRIALS_HPP
#define TOMOGRAPH_RUNTIME_CALLS_TRIALS_HPP

#include <cstdint>

namespace tomograph::runtime_calls {

/// The 99.9 % interval of a median of so many trials leaves out two at either end.
inline constexpr std::int64_t trials = 21;

}  // namespace tomograph::runtime_calls

#endif
