#ifndef TOMOGRAPH_CUDA_CHASE_LIMITS_HPP
#define TOMOGRAPH_CUDA_CHASE_LIMITS_HPP

#include <cstddef>

#include "cuda/chase/feasibility.hpp"

namespace tomograph::cuda {

/// The limits of `device`, which is the current one, if waves may take `wave_memory` bytes. @throws DeviceLost,
/// std::runtime_error.
[[nodiscard]] Limits limits_of(int device, std::size_t wave_memory);

}  // namespace tomograph::cuda

#endif
