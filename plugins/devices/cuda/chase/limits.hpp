#ifndef TOMOGRAPH_CUDA_CHASE_LIMITS_HPP
#define TOMOGRAPH_CUDA_CHASE_LIMITS_HPP

#include "cuda/chase/feasibility.hpp"

namespace tomograph::cuda {

/// The limits of `device`, which is the current one. @throws DeviceLost, std::runtime_error.
[[nodiscard]] Limits limits_of(int device);

}  // namespace tomograph::cuda

#endif
